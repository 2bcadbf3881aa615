import type { PowerCurve, PowerStep } from "../../src/engine/nvidia-smi/step-power.ts";
import type { Random } from "../../src/stats/seeded-random.ts";

/** A time under load with quiet around it. */
export interface Load {
  readonly startMs: number;
  readonly endMs: number;
}

/** What a device truly drew for some minutes. */
export interface Workload {
  readonly shape: string;
  /** Its first step is at 0. */
  readonly curve: PowerCurve;
  readonly endMs: number;
  readonly loads: readonly Load[];
}

/** Adds a step to a curve that is being made, unless nothing changes. */
export function pushStep(steps: PowerStep[], atMs: number, powerW: number): void {
  if (steps.at(-1)?.powerW !== powerW) steps.push({ atMs, powerW });
}

export function uniform(random: Random, low: number, high: number): number {
  return low + (high - low) * random();
}
