import type { MeasuredAveraging } from "./measure-averaging.ts";
import type { Sensor } from "./sensor.ts";

/** Whether readings bear out the averaging time that is declared, or show that it is another one. */
export type AveragingVerdict = "agrees" | "differs" | "unclear";

/** Two averaging times are different ones only when one is longer than this times the other. */
const ANOTHER = 1.25;

/** The declared one is borne out when it fits, and nothing much longer or shorter than it does. */
const NEAR = 1.6;
const FITS = 1.1;

/**
 * What the readings say of the declared averaging time.
 *
 * @param periodMs - time between readings: what happens between two of them is not seen.
 */
export function judgeAveraging(
  { loMs, hiMs }: Pick<MeasuredAveraging, "loMs" | "hiMs">,
  { averagingMs, updateMs }: Sensor,
  periodMs: number,
): AveragingVerdict {
  const isShorter = averagingMs > ANOTHER * hiMs + updateMs;
  const isLonger = loMs > ANOTHER * averagingMs + updateMs;
  if (isShorter || isLonger) return "differs";
  const unseenMs = updateMs + periodMs;
  const isNear = hiMs <= NEAR * averagingMs + unseenMs && loMs >= averagingMs / NEAR - unseenMs;
  const fits = loMs <= FITS * averagingMs + updateMs && hiMs >= averagingMs / FITS - updateMs;
  return isNear && fits ? "agrees" : "unclear";
}
