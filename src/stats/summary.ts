import { type Percentiles, percentiles } from "./percentile.ts";
import { type SortedValues, sortValues } from "./sorted-values.ts";

/** What many values come to. `n` is always told; of no values nothing else is. */
export interface Summary {
  readonly n: number;
  readonly min?: number;
  readonly max?: number;
  readonly mean?: number;
  readonly percentiles: Percentiles;
  /** Whether each percentile is one of the values themselves. `min`, `max` and `mean` always are exact. */
  readonly isExact: boolean;
  /** How far a percentile may lie from the value at its rank, as a share of that value; 0 when exact. */
  readonly relativeError: number;
}

/** The exact summary of a few values. For many, or for a stream of them, see `Distribution`. */
export function summarise(values: ArrayLike<number>): Summary {
  return summariseSorted(sortValues(values));
}

/** The exact summary of values in ascending order. */
export function summariseSorted(values: SortedValues): Summary {
  const n = values.length;
  const exact = { n, percentiles: percentiles(values), isExact: true, relativeError: 0 };
  if (n === 0) return exact;
  let sum = 0;
  for (let i = 0; i < n; i++) sum += values[i]!;
  return { ...exact, min: values[0]!, max: values[n - 1]!, mean: sum / n };
}
