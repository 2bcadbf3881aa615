import type { SortedValues } from "./sorted-values.ts";

/** A percentile that joulemark reports; `p999` is p99.9. */
export type PercentileName = "p50" | "p90" | "p95" | "p99" | "p999";

/** The percentiles that `n` allows; one that it does not allow has no field. */
export type Percentiles = Readonly<Partial<Record<PercentileName, number>>>;

interface Percentile {
  readonly name: PercentileName;
  /** In thousandths, so that ranks are whole numbers: 41,000 × (99.9 / 100) lands above 40,959. */
  readonly permille: number;
  /** The fewest values from which it is told: fewer, and it would be the maximum in disguise. */
  readonly fromCount: number;
}

/** What is reported, and from how many values on. */
export const PERCENTILES: readonly Percentile[] = [
  { name: "p50", permille: 500, fromCount: 2 },
  { name: "p90", permille: 900, fromCount: 10 },
  { name: "p95", permille: 950, fromCount: 20 },
  { name: "p99", permille: 990, fromCount: 100 },
  { name: "p999", permille: 999, fromCount: 1000 },
];

/** The percentiles of values in ascending order, by nearest rank: each is one of the values. */
export function percentiles(values: SortedValues): Percentiles {
  return percentilesByRank(values.length, (rank) => values[rank - 1]!);
}

/**
 * The percentiles of whatever can say its value at a rank.
 *
 * @param valueAtRank - rank 1 is the smallest value, rank `count` the largest.
 */
export function percentilesByRank(
  count: number,
  valueAtRank: (rank: number) => number,
): Percentiles {
  const found: Partial<Record<PercentileName, number>> = {};
  for (const { name, permille, fromCount } of PERCENTILES) {
    if (count >= fromCount) found[name] = valueAtRank(nearestRank(count, permille));
  }
  return found;
}

/** The smallest rank that has at least `permille` thousandths of `count` at or below it; from 1. */
export function nearestRank(count: number, permille: number): number {
  return Math.max(1, Math.ceil((count * permille) / 1000));
}
