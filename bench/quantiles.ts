/** Of many values: n, and three of their quantiles. */
export interface Quantiles {
  readonly n: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** By nearest rank; `NaN` where there are no values. */
export function quantiles(values: readonly number[]): Quantiles {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  return { n: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}
