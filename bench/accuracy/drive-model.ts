import type { PowerStep } from "../../src/engine/nvidia-smi/step-power.ts";
import type { GpuWork } from "../../src/engine/power/gpu-work.ts";
import { PowerModel } from "../../src/engine/power/power-model.ts";
import type { PowerProfile } from "../../src/engine/profiles/engine-profile.ts";
import { pushStep } from "./workload.ts";

/** The same kind of work for some time. */
export interface Phase {
  readonly work: GpuWork;
  readonly durationMs: number;
}

/** A step of an engine that decodes; each may draw its own noise. */
const STEP_NS = 25e6;

/** What one GPU draws while it works through the phases, from 0 on. */
export function driveModel(
  power: PowerProfile,
  seed: number,
  phases: readonly Phase[],
): readonly PowerStep[] {
  const model = new PowerModel(power, seed);
  const steps: PowerStep[] = [];
  let atNs = 0;
  for (const { work, durationMs } of phases) {
    const endNs = atNs + Math.round(durationMs * 1e6);
    while (atNs < endNs) {
      const untilNs = work.kind === "idle" ? endNs : Math.min(endNs, atNs + STEP_NS);
      atNs = doWork(model, { ...work }, atNs, untilNs, steps);
    }
  }
  return steps;
}

/** One piece of work, cut wherever its power changes. */
function doWork(
  model: PowerModel,
  work: GpuWork,
  startNs: number,
  endNs: number,
  steps: PowerStep[],
): number {
  for (let atNs = startNs; atNs < endNs; ) {
    pushStep(steps, atNs / 1e6, model.begin(work, atNs).powerW[0]!);
    atNs = model.nextChangeNs(atNs) ?? endNs;
  }
  return endNs;
}
