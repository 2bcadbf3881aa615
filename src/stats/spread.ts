import { type SortedValues, sortValues } from "./sorted-values.ts";
import { studentT95 } from "./student-t.ts";

/** How far the true middle may lie from what a few repeats show. */
export interface SpreadInterval {
  readonly lo: number;
  readonly hi: number;
  /** `t`: Student's interval of the mean; `order`: two of the values themselves. */
  readonly method: "t" | "order";
  /** The probability with which such an interval holds the true middle: 0.95, or more with `order`. */
  readonly coverage: number;
}

/** A figure over repeats of the same measurement. */
export interface Spread {
  readonly n: number;
  /** The middle value, or the mean of the two middle ones. */
  readonly median: number;
  /** Absent for a single value: one run says nothing about the next. */
  readonly interval?: SpreadInterval;
}

const COVERAGE = 0.95;

/**
 * The median over repeats with its 95 % interval.
 *
 * From 6 values on the interval is made of order statistics: the innermost pair between which the
 * median lies with at least 95 % by the binomial distribution. It assumes nothing about the shape
 * of the noise and always holds the median. Fewer values cannot reach 95 % that way (5 give 93.8 %),
 * so there it is Student's interval of the mean, which takes the noise to be normal and so the mean
 * to be the median; it is wide, as it must be, and it always holds the median too. It is not cut
 * off at 0. A bootstrap is not used: of 3 values it can draw nothing wider than the 3 values, which
 * hold the median in 75 % of all cases.
 *
 * @returns `undefined` for no value at all.
 * @throws {RangeError} when a value is NaN or infinite.
 */
export function spread(values: readonly number[]): Spread | undefined {
  const sorted = sortValues(values);
  const n = sorted.length;
  if (n === 0) return undefined;
  const median = (sorted[(n - 1) >> 1]! + sorted[n >> 1]!) / 2;
  if (n === 1) return { n, median };
  return { n, median, interval: n <= 5 ? tInterval(sorted) : orderInterval(sorted) };
}

function tInterval(values: SortedValues): SpreadInterval {
  const n = values.length;
  const all = Array.from(values);
  const mean = all.reduce((sum, value) => sum + value, 0) / n;
  const squares = all.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const halfWidth = studentT95(n - 1) * Math.sqrt(squares / (n - 1) / n);
  return { lo: mean - halfWidth, hi: mean + halfWidth, method: "t", coverage: COVERAGE };
}

function orderInterval(values: SortedValues): SpreadInterval {
  const n = values.length;
  // The chance that fewer than `rank` of n values lie below the median, rank by rank from outside.
  let logTerm = -n * Math.LN2;
  let outside = Math.exp(logTerm);
  let rank = 1;
  for (;;) {
    logTerm += Math.log((n - rank + 1) / rank);
    const next = outside + Math.exp(logTerm);
    if (1 - 2 * next < COVERAGE) break;
    outside = next;
    rank++;
  }
  return {
    lo: values[rank - 1]!,
    hi: values[n - rank]!,
    method: "order",
    coverage: 1 - 2 * outside,
  };
}
