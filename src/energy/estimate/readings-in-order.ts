import type { PowerSample } from "../power-sample.ts";

/** Stamps that lie closer together are of one moment, in ms: the source was only printed late. */
const APART_MS = 2;

/** Readings in time order, one for each moment (the last one of several), and only those that are numbers. */
export function readingsInOrder(samples: readonly PowerSample[]): readonly PowerSample[] {
  const known = samples.filter(
    ({ atMs, powerW, counterJ = 0 }) =>
      Number.isFinite(atMs) &&
      Number.isFinite(powerW) &&
      powerW >= 0 &&
      Number.isFinite(counterJ) &&
      counterJ >= 0,
  );
  const isOrdered = known.every(({ atMs }, i) => i === 0 || atMs >= known[i - 1]!.atMs);
  const ordered = isOrdered ? known : known.toSorted((a, b) => a.atMs - b.atMs);
  return ordered.filter(({ atMs }, i) => {
    const next = ordered[i + 1];
    return next === undefined || next.atMs - atMs >= APART_MS;
  });
}

/** The readings stamped from `fromMs` to `toMs`; a binary search. */
export function readingsBetween(
  samples: readonly PowerSample[],
  fromMs: number,
  toMs: number,
): readonly PowerSample[] {
  return samples.slice(firstFrom(samples, fromMs), firstFrom(samples, toMs));
}

function firstFrom(samples: readonly PowerSample[], atMs: number): number {
  let from = 0;
  let to = samples.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (samples[middle]!.atMs >= atMs) to = middle;
    else from = middle + 1;
  }
  return from;
}
