import type { PowerSample } from "../power-sample.ts";
import type { Sensor } from "../sensor.ts";
import type { MeanRow } from "./mean-row.ts";
import { slowReadings } from "./slow-readings.ts";

/** Beside what its digits hide, a reading is never better than the larger of these two. */
const NOISE_W = 0.3;
const NOISE_SHARE = 5e-4;

/** Cards renew as slowly as this while they rest: what stands for longer was renewed, and is the same. */
const REST_MS = 1000;

/** Stamps are not more exact than this, in ms. */
const STAMP_MS = 5;

/** Standard deviation of what is spread evenly over an interval of length 1. */
const EVEN_SD = 1 / Math.sqrt(12);

/**
 * What the readings of a trailing mean say.
 *
 * A reading is older than its stamp: the sensor renewed it some time within the last update, or
 * since the reading before, whichever is less. One that repeats its predecessor within an update
 * says nothing new; one that repeats it later says that the power stood still, unless the readings
 * show a sensor that renews itself more slowly than declared. Then it is stale, and how old the next
 * one is is less sure.
 *
 * @param samples - in time order.
 */
export function sensorRows(
  samples: readonly PowerSample[],
  sensor: Pick<Sensor, "averagingMs" | "updateMs">,
  noiseShare: number = NOISE_SHARE,
): readonly MeanRow[] {
  const { averagingMs, updateMs } = sensor;
  const digitsW = stepOf(samples);
  const slow = slowReadings(samples, sensor);
  const rows: MeanRow[] = [];
  let toldMs = Number.NEGATIVE_INFINITY;
  for (const [i, { atMs, powerW }] of samples.entries()) {
    const before = samples[i - 1];
    const renewedMs = slow.has(i) ? REST_MS : updateMs;
    const isRepeat = before?.powerW === powerW;
    const standsFor = slow.has(i) ? REST_MS + updateMs : updateMs;
    if (isRepeat && atMs - toldMs < standsFor) continue;
    toldMs = atMs;
    const isFresh = before !== undefined && !isRepeat;
    const gapMs = isFresh ? atMs - before.atMs : renewedMs;
    const oldestMs = Math.max(STAMP_MS, Math.min(renewedMs, gapMs));
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
