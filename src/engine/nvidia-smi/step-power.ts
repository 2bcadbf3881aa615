/** From `atMs` on, the power is this. */
export interface PowerStep {
  readonly atMs: number;
  readonly powerW: number;
  /** How long the power was capped before `atMs`, in all, where that is known. */
  readonly cappedUs?: number;
}

/** Power over time, constant between steps. */
export interface PowerCurve {
  /** Before the first step. */
  readonly beforeW: number;
  /** In time order. */
  readonly steps: readonly PowerStep[];
}

/** Exact joules of an interval; the halves of a split interval add up to the whole. */
export function energyJ(curve: PowerCurve, startMs: number, endMs: number): number {
  return sumOver(curve, startMs, endMs, (powerW) => powerW) / 1000;
}

/** Mean power of an interval; of an empty one, the power at its end. */
export function meanPowerW(curve: PowerCurve, startMs: number, endMs: number): number {
  if (endMs <= startMs) return powerAtW(curve, endMs);
  return energyJ(curve, startMs, endMs) / ((endMs - startMs) / 1000);
}

/**
 * What a sensor shows at `nowMs` that is renewed every `updateMs` (at multiples of it) with the
 * mean of the `windowMs` before.
 */
export function trailingMeanW(
  curve: PowerCurve,
  nowMs: number,
  { windowMs, updateMs }: { windowMs: number; updateMs: number },
): number {
  const updatedMs = lastUpdate(nowMs, updateMs) * updateMs;
  return meanPowerW(curve, updatedMs - windowMs, updatedMs);
}

/** The number of the update that is shown at `nowMs`. */
export function lastUpdate(nowMs: number, updateMs: number): number {
  return Math.floor(nowMs / updateMs);
}

/** Power at an instant; at a step, the new one. */
export function powerAtW(curve: PowerCurve, atMs: number): number {
  return curve.steps[lastStepAt(curve.steps, atMs)]?.powerW ?? curve.beforeW;
}

/** How long, within an interval, the power was at or above `thresholdW`. */
export function timeAtOrAboveMs(
  curve: PowerCurve,
  thresholdW: number,
  startMs: number,
  endMs: number,
): number {
  return sumOver(curve, startMs, endMs, (powerW) => (powerW >= thresholdW ? 1 : 0));
}

/** Index of the last step that has begun at `atMs`, or -1; a binary search. */
export function lastStepAt(steps: readonly PowerStep[], atMs: number): number {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (steps[middle]!.atMs <= atMs) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function sumOver(
  { beforeW, steps }: PowerCurve,
  startMs: number,
  endMs: number,
  weigh: (powerW: number) => number,
): number {
  let sum = 0;
  let atMs = startMs;
  for (let i = lastStepAt(steps, startMs); atMs < endMs; i++) {
    const untilMs = Math.min(endMs, steps[i + 1]?.atMs ?? endMs);
    sum += weigh(steps[i]?.powerW ?? beforeW) * (untilMs - atMs);
    atMs = untilMs;
  }
  return sum;
}
