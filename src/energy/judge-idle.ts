import type { PowerSample } from "./power-sample.ts";
import { type Refusal, refusal } from "./rail-refusal.ts";

/** How far the readings of an idle device may lie apart: the larger of these two. */
const SPREAD_W = 5;
const SPREAD_SHARE = 0.1;

/**
 * Why one device's readings are no idle baseline; nothing when they are.
 *
 * A device that still works, or steps its clocks down after work, moves by more than an idle one.
 */
export function judgeIdle(samples: readonly PowerSample[], name: string): Refusal | undefined {
  if (samples.length === 0) return undefined;
  let lowW = Number.POSITIVE_INFINITY;
  let highW = 0;
  let sumW = 0;
  for (const { powerW } of samples) {
    lowW = Math.min(lowW, powerW);
    highW = Math.max(highW, powerW);
    sumW += powerW;
  }
  const meanW = sumW / samples.length;
  if (highW - lowW <= Math.max(SPREAD_W, SPREAD_SHARE * meanW)) return undefined;
  return refusal(
    "idle_not_quiet",
    `${name}: the baseline moved from ${lowW.toFixed(1)} to ${highW.toFixed(1)} W; something was working, or the device was still cooling down`,
  );
}
