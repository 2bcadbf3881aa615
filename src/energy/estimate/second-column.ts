import type { PowerSample } from "../power-sample.ts";
import type { Sensor } from "../sensor.ts";
import type { Column } from "./mean-energy.ts";
import { readingsInOrder } from "./readings-in-order.ts";

/** Two columns of one device differ by so much at least, as a share: each has a gain of its own. */
const NOISE_SHARE = 0.01;
/** More than this, and the second column has nothing to say on edges. */
const MOST_NOISE_SHARE = 0.1;

/** A median deviation of a normal distribution is this share of its standard deviation. */
const MEDIAN_DEVIATION = 0.6745;

/**
 * The second column of a device as it may be used beside the main one: its noise is what the two
 * differ by where the main one stands still.
 *
 * @returns none where there is no second column, or it does not agree with the main one.
 */
export function secondColumn(
  main: readonly PowerSample[],
  second: { readonly samples: readonly PowerSample[]; readonly sensor: Sensor } | undefined,
  startMs: number,
  endMs: number,
): readonly Column[] {
  if (second === undefined || second.sensor.kind !== "instant") return [];
  const samples = readingsInOrder(second.samples);
  const noiseShare = Math.max(NOISE_SHARE, differenceShare(main, samples, startMs, endMs));
  if (noiseShare > MOST_NOISE_SHARE) return [];
  return [{ samples, sensor: second.sensor, noiseShare }];
}

/** How much the two columns differ while the main one stands still, as a share of the power. */
function differenceShare(
  main: readonly PowerSample[],
  second: readonly PowerSample[],
  startMs: number,
  endMs: number,
): number {
  const byStamp = new Map(second.map(({ atMs, powerW }) => [atMs, powerW]));
  const shares: number[] = [];
  for (let i = 4; i < main.length; i++) {
    const { atMs, powerW } = main[i]!;
    const otherW = byStamp.get(atMs);
    if (otherW === undefined || powerW === 0 || atMs < startMs || atMs > endMs) continue;
    // Over more than an averaging time, so that the mean is that of one power.
    const movedW = Math.abs(powerW - main[i - 4]!.powerW);
    if (movedW <= 0.02 * powerW) shares.push(Math.abs(otherW - powerW) / powerW);
  }
  if (shares.length < 4) return NOISE_SHARE;
  return shares.sort((a, b) => a - b)[shares.length >> 1]! / MEDIAN_DEVIATION;
}
