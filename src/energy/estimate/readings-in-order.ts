import type { PowerSample } from "../power-sample.ts";

/** Readings in time order, one for each stamp (the last one of several), and only those that are numbers. */
export function readingsInOrder(samples: readonly PowerSample[]): readonly PowerSample[] {
  const known = samples.filter(
    ({ atMs, powerW }) => Number.isFinite(atMs) && Number.isFinite(powerW) && powerW >= 0,
  );
  const isOrdered = known.every(({ atMs }, i) => i === 0 || atMs >= known[i - 1]!.atMs);
  const ordered = isOrdered ? known : known.toSorted((a, b) => a.atMs - b.atMs);
  return ordered.filter(({ atMs }, i) => ordered[i + 1]?.atMs !== atMs);
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
