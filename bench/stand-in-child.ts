import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PowerModel, Scenario } from "../src/engine/nvidia-smi/scenario.ts";

const MAIN = fileURLToPath(new URL("../src/engine/nvidia-smi/main.js", import.meta.url));

/** An executable that plays the stand-in nvidia-smi with `gpus` GPUs of this power. */
export function standInChild(gpus: number, power: PowerModel): string {
  const dir = mkdtempSync(join(tmpdir(), "joulemark-bench-"));
  const scenario: Scenario = {
    devices: Array.from({ length: gpus }, (_, index) => ({
      index,
      uuid: `GPU-${index}`,
      name: "SIMULATED GPU",
      power,
    })),
    timing: { jitterMs: [5, 50], perDeviceMs: gpus > 1 ? 15 : 0 },
  };
  const scenarioPath = join(dir, "scenario.json");
  writeFileSync(scenarioPath, JSON.stringify(scenario));
  const path = join(dir, "nvidia-smi");
  const lines = [
    "#!/bin/sh",
    `export JOULEMARK_STAND_IN='${scenarioPath}'`,
    `exec '${process.execPath}' '${MAIN}' "$@"`,
    "",
  ];
  writeFileSync(path, lines.join("\n"), { mode: 0o755 });
  return path;
}
