import { HISTOGRAM_RELATIVE_ERROR, LogHistogram, type LogHistogramJson } from "./log-histogram.ts";
import { requireMeasured, requireTimes } from "./measured-value.ts";
import { percentilesByRank } from "./percentile.ts";
import { sortValues } from "./sorted-values.ts";
import { type Summary, summariseSorted } from "./summary.ts";

/** A distribution as plain JSON: it crosses threads and stands in records. */
export type DistributionJson =
  | { readonly kind: "exact"; readonly exactUpTo: number; readonly values: readonly number[] }
  | ({ readonly kind: "histogram"; readonly exactUpTo: number } & LogHistogramJson);

export interface DistributionOptions {
  /** Up to this many values each is kept as it is; default 10,000, which is 80 kB. */
  readonly exactUpTo?: number;
}

const EXACT_UP_TO = 10_000;

/**
 * Measured values ≥ 0, one by one: exact while they are few, from then on a histogram whose
 * percentiles have a known relative error. Memory is bounded either way.
 */
export class Distribution {
  readonly #exactUpTo: number;
  #values: number[] = [];
  #histogram: LogHistogram | undefined;

  constructor({ exactUpTo = EXACT_UP_TO }: DistributionOptions = {}) {
    this.#exactUpTo = exactUpTo;
  }

  static fromJson(json: DistributionJson): Distribution {
    const distribution = new Distribution({ exactUpTo: json.exactUpTo });
    if (json.kind === "histogram") distribution.#histogram = LogHistogram.fromJson(json);
    else for (const value of json.values) distribution.add(value);
    return distribution;
  }

  get n(): number {
    return this.#histogram?.count ?? this.#values.length;
  }

  /** @throws {RangeError} unless the value is finite and ≥ 0 and `times` a whole number ≥ 1. */
  add(value: number, times = 1): void {
    const measured = requireMeasured(value);
    if (!this.#staysExactWith(requireTimes(times))) {
      this.#toHistogram().add(measured, times);
      return;
    }
    for (let i = 0; i < times; i++) this.#values.push(measured);
  }

  /** Takes over all values of another distribution, which stays as it is. */
  merge(other: Distribution): void {
    if (other.#histogram !== undefined) this.#toHistogram().merge(other.#histogram);
    else for (const value of [...other.#values]) this.add(value);
  }

  /** What the values come to so far; its `relativeError` says how far its percentiles may be off. */
  summary(): Summary {
    const histogram = this.#histogram;
    if (histogram === undefined) return summariseSorted(sortValues(this.#values));
    return {
      n: histogram.count,
      min: histogram.min!,
      max: histogram.max!,
      mean: histogram.sum / histogram.count,
      percentiles: percentilesByRank(histogram.count, (rank) => histogram.valueAtRank(rank)),
      isExact: false,
      relativeError: HISTOGRAM_RELATIVE_ERROR,
    };
  }

  toJSON(): DistributionJson {
    const exactUpTo = this.#exactUpTo;
    if (this.#histogram === undefined) {
      return { kind: "exact", exactUpTo, values: [...this.#values] };
    }
    return { kind: "histogram", exactUpTo, ...this.#histogram.toJSON() };
  }

  #staysExactWith(more: number): boolean {
    return this.#histogram === undefined && this.#values.length + more <= this.#exactUpTo;
  }

  #toHistogram(): LogHistogram {
    if (this.#histogram === undefined) {
      this.#histogram = new LogHistogram();
      for (const value of this.#values) this.#histogram.add(value);
      this.#values = [];
    }
    return this.#histogram;
  }
}
