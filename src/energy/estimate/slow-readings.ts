import type { PowerSample } from "../power-sample.ts";
import type { Sensor } from "../sensor.ts";

/** Of a source without digits, a change by less than this may be the last watt's own, in W. */
const JUMP_W = 1.5;

/** Readings that have one value, one after the other. */
interface Run {
  readonly first: number;
  /** Behind the last one. */
  readonly next: number;
}

/**
 * The places of readings that a sensor held for longer than its update time.
 *
 * A mean over a second does not stand to the last digit on one level and then on another: it has to
 * climb for a second. Where readings do just that, the sensor was slower than declared; cards renew
 * once a second while they rest. A sensor that averages over no more than two readings may jump.
 *
 * @param samples - in time order.
 */
export function slowReadings(
  samples: readonly PowerSample[],
  { averagingMs, updateMs }: Pick<Sensor, "averagingMs" | "updateMs">,
): ReadonlySet<number> {
  const slow = new Set<number>();
  const leastW = samples.every(({ powerW }) => Number.isInteger(powerW)) ? JUMP_W : 0;
  const runs = runsOf(samples);
  for (const [i, run] of runs.entries()) {
    const before = runs[i - 1];
    if (before === undefined) continue;
    const gapMs = samples[run.first]!.atMs - samples[run.first - 1]!.atMs;
    const jumpW = Math.abs(samples[run.first]!.powerW - samples[run.first - 1]!.powerW);
    const areStanding = [before, run].every((one) => lengthMs(samples, one) > 1.5 * updateMs);
    if (!areStanding || jumpW < leastW || averagingMs <= 2 * gapMs) continue;
    for (let place = before.first; place < run.next; place++) slow.add(place);
    // Whatever comes next is of the same sensor, and as unsure.
    slow.add(run.next);
  }
  return slow;
}

function runsOf(samples: readonly PowerSample[]): readonly Run[] {
  const runs: Run[] = [];
  let first = 0;
  for (let i = 1; i <= samples.length; i++) {
    if (samples[i]?.powerW === samples[first]?.powerW && i < samples.length) continue;
    runs.push({ first, next: i });
    first = i;
  }
  return samples.length === 0 ? [] : runs;
}

function lengthMs(samples: readonly PowerSample[], { first, next }: Run): number {
  return samples[next - 1]!.atMs - samples[first]!.atMs;
}
