import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  installStandIn as install,
  type StandIn,
} from "../../src/engine/nvidia-smi/install-stand-in.ts";
import type { Scenario } from "../../src/engine/nvidia-smi/scenario.ts";

export type { StandIn };

const MAIN = fileURLToPath(new URL("../../dist/engine/nvidia-smi/main.js", import.meta.url));

/** Writes a stand-in that runs the built program, since Node 20 runs no TypeScript. */
export async function installStandIn(scenario: Scenario): Promise<StandIn> {
  if (!existsSync(MAIN)) throw new Error(`${MAIN} is not built: run \`npm run build\``);
  return install(scenario, MAIN);
}
