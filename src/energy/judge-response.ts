import type { PowerSample } from "./power-sample.ts";
import type { Sensor } from "./sensor.ts";

/** What one device draws when nothing is in flight, and how far its readings stray from that. */
export interface IdleLevel {
  readonly meanW: number;
  /** Standard deviation of the readings, in W. */
  readonly spreadW: number;
}

/** How one device answered to load: `unknown` where the readings could not have shown it. */
export type Response = "moved" | "still" | "unknown";

/** A rise counts from here on: the largest of these three. */
const RISE_SPREADS = 3;
const RISE_W = 0.5;
const RISE_SHARE = 0.005;

/** Fewer readings tell neither how an idle device strays, nor what a window did to it. */
const LEAST_READINGS = 4;

/** The level of a quiet baseline; `undefined` for too few readings. */
export function idleLevel(samples: readonly PowerSample[]): IdleLevel | undefined {
  if (samples.length < LEAST_READINGS) return undefined;
  const meanW = meanOf(samples);
  const squares = samples.reduce((sum, { powerW }) => sum + (powerW - meanW) ** 2, 0);
  return { meanW, spreadW: Math.sqrt(squares / (samples.length - 1)) };
}

/**
 * Whether a device's watts rose above idle in a window in which its server worked.
 *
 * Neither the mean nor the highest reading of one that stands still is higher than chance makes it;
 * of many readings the highest strays further, by about √(2 ln n) standard deviations.
 *
 * @param inside - the device's readings inside the window.
 */
export function judgeResponse(
  inside: readonly PowerSample[],
  windowMs: number,
  { meanW, spreadW }: IdleLevel,
  sensor: Pick<Sensor, "averagingMs">,
): Response {
  const riseW = (spreads: number): number =>
    Math.max(spreads * spreadW, RISE_W, RISE_SHARE * meanW);
  const chance = Math.max(RISE_SPREADS, 1 + Math.sqrt(2 * Math.log(inside.length || 1)));
  const hasRisen =
    inside.some(({ powerW }) => powerW - meanW > riseW(chance)) ||
    (inside.length > 0 && meanOf(inside) - meanW > riseW(RISE_SPREADS));
  if (hasRisen) return "moved";
  const isLongEnough = windowMs >= 2 * sensor.averagingMs && inside.length >= LEAST_READINGS;
  return isLongEnough ? "still" : "unknown";
}

function meanOf(samples: readonly PowerSample[]): number {
  return samples.reduce((sum, { powerW }) => sum + powerW, 0) / samples.length;
}
