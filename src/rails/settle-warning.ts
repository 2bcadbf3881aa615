import { settleMs } from "../energy/sensor.ts";
import type { RailFacts } from "./source.ts";

/** What a settle time that is shorter than the sensor needs costs, in words; else nothing. */
export function settleWarning(
  askedMs: number | undefined,
  { sensor, periodMs }: Pick<RailFacts, "sensor" | "periodMs">,
): string | undefined {
  const neededMs = settleMs(sensor, periodMs);
  if (sensor.kind !== "average" || askedMs === undefined || askedMs >= neededMs) return undefined;
  const asked =
    askedMs === 0
      ? "no quiet time before windows (--no-settle)"
      : `a quiet time of ${seconds(askedMs)} before windows`;
  return `${asked}, where the sensor needs ${seconds(neededMs)}: windows may begin in moving power, which makes the intervals of their estimates wider and the plain integral read what was before`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
