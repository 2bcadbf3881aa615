import type { PowerSample } from "../power-sample.ts";
import type { Sensor } from "../sensor.ts";
import type { MeanRow } from "./mean-row.ts";

/** Beside what its digits hide, a reading is never better than the larger of these two. */
const NOISE_W = 0.3;
const NOISE_SHARE = 5e-4;

/** Cards renew as slowly as this while they rest: what stands for longer was renewed, and is the same. */
const REST_MS = 1000;

/** Standard deviation of what is spread evenly over an interval of length 1. */
const EVEN_SD = 1 / Math.sqrt(12);

/**
 * What the readings of a trailing mean say.
 *
 * A reading is older than its stamp: the sensor renewed it some time within the last update, or
 * since the reading before, whichever is less. One that merely repeats its predecessor says nothing
 * new, until it has stood for so long that it must have been renewed. Where a reading stood for longer than an update, the sensor was slower than declared, and the age of the next one is less sure.
 *
 * @param samples - in time order.
 */
export function sensorRows(
  samples: readonly PowerSample[],
  { averagingMs, updateMs }: Sensor,
  noiseShare: number = NOISE_SHARE,
): readonly MeanRow[] {
  const digitsW = stepOf(samples);
  const rows: MeanRow[] = [];
  let sinceMs = samples[0]?.atMs ?? 0;
  let toldMs = sinceMs;
  for (const [i, { atMs, powerW }] of samples.entries()) {
    const before = samples[i - 1];
    const isRepeat = before?.powerW === powerW;
    if (isRepeat && atMs - toldMs < REST_MS + updateMs) continue;
    toldMs = atMs;
    const slowMs = before === undefined ? 0 : before.atMs - sinceMs;
    const renewedMs = slowMs > 1.5 * updateMs ? Math.min(slowMs, REST_MS) : updateMs;
    if (!isRepeat) sinceMs = atMs;
    const isFresh = before !== undefined && !isRepeat;
    const oldestMs = isFresh ? Math.min(renewedMs, atMs - before.atMs) : renewedMs;
    const toMs = atMs - oldestMs / 2;
    rows.push({
      fromMs: toMs - averagingMs,
      toMs,
      powerW,
      shiftSdMs: oldestMs * EVEN_SD,
      noiseW: Math.hypot(Math.max(NOISE_W, noiseShare * powerW), digitsW * EVEN_SD),
    });
  }
  return rows;
}

/** The watts between two values that the source can tell apart: 1 where it has no digits, else 0.01. */
function stepOf(samples: readonly PowerSample[]): number {
  return samples.every(({ powerW }) => Number.isInteger(powerW)) ? 1 : 0.01;
}
