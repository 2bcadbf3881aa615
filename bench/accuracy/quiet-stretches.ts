import { lastStepAt, type PowerCurve } from "../../src/engine/nvidia-smi/step-power.ts";

/** A time in which the true power stands still, in ms. */
export interface Stretch {
  readonly startMs: number;
  readonly endMs: number;
}

const LEAST_MS = 1500;
const BAND = 0.01;

/** Where the power stays within ±1 % of one value for at least 1.5 s; joined where they overlap. */
export function quietStretches({ steps }: PowerCurve, endMs: number): readonly Stretch[] {
  const found: Stretch[] = [];
  for (let i = 0; i < steps.length; i++) {
    const { atMs, powerW } = steps[i]!;
    let lowW = powerW;
    let highW = powerW;
    let next = i + 1;
    for (; next < steps.length; next++) {
      const nextW = steps[next]!.powerW;
      if (nextW < lowW) lowW = nextW;
      else if (nextW > highW) highW = nextW;
      if (highW * (1 - BAND) > lowW * (1 + BAND)) break;
    }
    const untilMs = steps[next]?.atMs ?? endMs;
    if (untilMs - atMs < LEAST_MS) continue;
    const last = found.at(-1);
    if (last && last.endMs >= atMs)
      found[found.length - 1] = {
        startMs: last.startMs,
        endMs: Math.max(last.endMs, untilMs),
      };
    else found.push({ startMs: atMs, endMs: untilMs });
  }
  return found;
}

/** How far a time is from the nearest stretch; 0 inside one. */
export function distanceMs(stretches: readonly Stretch[], atMs: number): number {
  let nearestMs = Number.POSITIVE_INFINITY;
  for (const { startMs, endMs } of stretches)
    nearestMs = Math.min(nearestMs, Math.max(0, startMs - atMs, atMs - endMs));
  return nearestMs;
}

/** Whether the power stands still from one time to another, within the band. */
export function isConstant({ steps }: PowerCurve, startMs: number, endMs: number): boolean {
  let [lowW, highW] = [Number.POSITIVE_INFINITY, 0];
  for (let i = Math.max(0, lastStepAt(steps, startMs)); i < steps.length; i++) {
    if (steps[i]!.atMs >= endMs) break;
    lowW = Math.min(lowW, steps[i]!.powerW);
    highW = Math.max(highW, steps[i]!.powerW);
  }
  return highW * (1 - BAND) <= lowW * (1 + BAND);
}
