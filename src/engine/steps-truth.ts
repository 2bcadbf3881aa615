import { readFileSync } from "node:fs";
import { energyJ, type PowerStep } from "./nvidia-smi/step-power.ts";

/**
 * What really went into a simulated GPU between two times, in joules: the area under its curve.
 *
 * @param stepsPath - the steps file of the stand-in nvidia-smi.
 * @param originNs - the monotonic time from which `startMs` and `endMs` count.
 */
export function stepsTruthJ(
  stepsPath: string,
  originNs: bigint,
  idleW: number,
  startMs: number,
  endMs: number,
): number {
  const steps = readFileSync(stepsPath, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): PowerStep => {
      const { atNs, powerW } = JSON.parse(line) as { atNs: string; powerW: number };
      return { atMs: Number(BigInt(atNs) - originNs) / 1e6, powerW };
    });
  return energyJ({ beforeW: idleW, steps }, startMs, endMs);
}
