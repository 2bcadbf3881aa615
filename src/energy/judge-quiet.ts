import type { PowerSample } from "./power-sample.ts";
import type { Sensor } from "./sensor.ts";

/** How far readings of constant power may lie apart: the larger of these two. */
const SPREAD_W = 3;
const SPREAD_SHARE = 0.03;

/** Fewer readings, or of a shorter time in ms, say nothing: a small step shows slowly in a mean. */
const LEAST_READINGS = 3;
const LEAST_MS = 400;

/**
 * Whether one device's latest readings stand still. Those of a sensor that averages then tell that
 * the power was constant for its averaging time before the first of them, too.
 *
 * A sensor that is slower to renew its reading than it is said to be looks quiet when it is not.
 *
 * @param samples - in time order, up to now; those that are older than is looked at do no harm.
 */
export function isQuiet(
  samples: readonly PowerSample[],
  sensor: Sensor,
  periodMs: number,
): boolean {
  const last = samples.at(-1);
  if (last === undefined || samples.length < LEAST_READINGS) return false;
  // Within one update a sensor says the same, whatever the power does.
  const fromMs = last.atMs - Math.max(LEAST_MS, sensor.updateMs + periodMs);
  const since = samples.findIndex(({ atMs }) => atMs >= fromMs);
  const looked = samples.slice(Math.min(since, samples.length - LEAST_READINGS));
  let lowW = Number.POSITIVE_INFINITY;
  let highW = 0;
  for (const { powerW } of looked) {
    lowW = Math.min(lowW, powerW);
    highW = Math.max(highW, powerW);
  }
  return highW - lowW <= Math.max(SPREAD_W, SPREAD_SHARE * highW);
}
