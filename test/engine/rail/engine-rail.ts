import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import {
  type EngineRail,
  installEngineRail,
} from "../../../src/engine/rail/install-engine-rail.ts";
import type { EngineRailOptions } from "../../../src/engine/rail/rail-options.ts";
import { cleanups } from "../../support/open-rail.ts";
import { powerProfile } from "../power/power-profile.ts";

const PROGRAM = fileURLToPath(new URL("../../../dist/engine/nvidia-smi/main.js", import.meta.url));

/** A rail that is there until the test ends; sensors without noise. */
export async function engineRail(options: Partial<EngineRailOptions> = {}): Promise<EngineRail> {
  const rail = await installEngineRail({
    power: powerProfile(),
    originNs: process.hrtime.bigint(),
    seed: 1,
    sensorNoiseW: 0,
    program: PROGRAM,
    ...options,
  });
  cleanups.push(() => rail.remove());
  return rail;
}

/** Rows of one answer, as cells. */
export function askOnce(rail: EngineRail, fields: string, what = "gpu"): string[][] {
  const { stdout } = spawnSync(
    rail.path,
    [`--query-${what}=${fields}`, "--format=csv,noheader,nounits"],
    { encoding: "utf8" },
  );
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split(", "));
}
