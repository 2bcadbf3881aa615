import type { PowerSample } from "../power-sample.ts";
import type { Sensor } from "../sensor.ts";

/** A time in which the power stood still. */
export interface QuietStretch {
  readonly fromMs: number;
  readonly toMs: number;
  readonly meanW: number;
}

/** Readings that lie this close together are of one power: the larger of the two. */
const STILL_W = 2;
const STILL_SHARE = 0.015;

/** Fewer readings than this, two at least, could stand still by chance: they must lie closer together. */
const ENOUGH_READINGS = 3;
const CLOSE_SHARE = 1 / 3;

/**
 * The times in which the power stood still, as the readings show it: each of them tells of the
 * averaging time before it, and is one update old at most. No load is not enough: clocks stay up for
 * seconds after it and step down then.
 *
 * @param samples - in time order.
 */
export function quietStretches(
  samples: readonly PowerSample[],
  { averagingMs, updateMs }: Pick<Sensor, "averagingMs" | "updateMs">,
): readonly QuietStretch[] {
  const found: QuietStretch[] = [];
  let first = 0;
  while (first < samples.length) {
    const { next, meanW } = stillFrom(samples, first);
    const isStill = next - first >= ENOUGH_READINGS || areClose(samples, first, next);
    if (isStill) {
      const fromMs = samples[first]!.atMs - averagingMs;
      found.push({ fromMs, toMs: samples[next - 1]!.atMs - updateMs, meanW });
    }
    first = isStill ? next : first + 1;
  }
  return found;
}

/** The stretch in which the power stood still just before or just after a moment, if it did. */
export function quietBeside(
  stretches: readonly QuietStretch[],
  atMs: number,
  side: "before" | "after",
  toleranceMs: number,
): QuietStretch | undefined {
  return stretches.find(({ fromMs, toMs }) =>
    side === "before"
      ? fromMs < atMs && toMs >= atMs - toleranceMs
      : toMs > atMs && fromMs <= atMs + toleranceMs,
  );
}

/** Whether two readings are nearer to each other than chance would have them. */
function areClose(samples: readonly PowerSample[], first: number, next: number): boolean {
  if (next - first !== 2) return false;
  const [a, b] = [samples[first]!.powerW, samples[first + 1]!.powerW];
  return Math.abs(a - b) <= CLOSE_SHARE * allowedW(Math.max(a, b));
}

function allowedW(highW: number): number {
  return Math.max(STILL_W, STILL_SHARE * highW);
}

function stillFrom(
  samples: readonly PowerSample[],
  first: number,
): { readonly next: number; readonly meanW: number } {
  let lowW = samples[first]!.powerW;
  let highW = lowW;
  let sumW = 0;
  let next = first;
  for (; next < samples.length; next++) {
    const { powerW } = samples[next]!;
    lowW = Math.min(lowW, powerW);
    highW = Math.max(highW, powerW);
    if (highW - lowW > allowedW(highW)) break;
    sumW += powerW;
  }
  return { next, meanW: sumW / (next - first) };
}
