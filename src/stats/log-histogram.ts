import { requireMeasured, requireTimes } from "./measured-value.ts";

/** Buckets in each factor of two: the top 9 bits of a double's fraction. */
const BUCKETS_PER_OCTAVE = 512;
const FRACTION_SHIFT = 11;

/** A value stands for its bucket's middle, which is at most this share of the value away from it. */
export const HISTOGRAM_RELATIVE_ERROR: number = 1 / (2 * BUCKETS_PER_OCTAVE);

/** A histogram as plain JSON. */
export interface LogHistogramJson {
  /**
   * Bucket `i` reaches from `2^(floor(i/512) − 1023) × (1 + (i mod 512)/512)` to the start of bucket
   * `i + 1`; bucket 0 is the value 0.
   */
  readonly bucketsPerOctave: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
  /** Pairs of bucket number and count, in ascending order; buckets without a value are left out. */
  readonly buckets: readonly (readonly [number, number])[];
}

/**
 * Counts of values ≥ 0 in buckets of bounded relative width: any number of values in a few KiB for
 * each factor of two that they span.
 *
 * Own code, because hdr-histogram-js 3 takes whole numbers from a range fixed beforehand, derives
 * its mean from the buckets and serialises to compressed bytes, for four packages and 2.1 MB.
 *
 * `count`, `min` and `max` are exact, `sum` but for the rounding of doubles.
 */
export class LogHistogram {
  readonly #octaves = new Map<number, Float64Array>();
  #count = 0;
  #sum = 0;
  #min = Infinity;
  #max = -Infinity;

  static fromJson(json: LogHistogramJson): LogHistogram {
    if (json.bucketsPerOctave !== BUCKETS_PER_OCTAVE) {
      throw new RangeError(
        `a histogram of ${json.bucketsPerOctave} buckets per octave cannot be read: it must have ${BUCKETS_PER_OCTAVE}`,
      );
    }
    const histogram = new LogHistogram();
    for (const [bucket, count] of json.buckets) histogram.#addToBucket(bucket, count);
    if (histogram.#count === 0) return histogram;
    histogram.#sum = requireMeasured(json.sum);
    histogram.#min = requireMeasured(json.min);
    histogram.#max = requireMeasured(json.max);
    return histogram;
  }

  get count(): number {
    return this.#count;
  }

  get sum(): number {
    return this.#sum;
  }

  /** `undefined` as long as there is no value. */
  get min(): number | undefined {
    return this.#count === 0 ? undefined : this.#min;
  }

  get max(): number | undefined {
    return this.#count === 0 ? undefined : this.#max;
  }

  /** @throws {RangeError} unless the value is finite and ≥ 0 and `times` a whole number ≥ 1. */
  add(value: number, times = 1): void {
    const measured = requireMeasured(value);
    this.#addToBucket(bucketOf(measured), times);
    this.#sum += measured * times;
    if (measured < this.#min) this.#min = measured;
    if (measured > this.#max) this.#max = measured;
  }

  /** Takes over all values of another histogram, which stays as it is. */
  merge(other: LogHistogram): void {
    // A copy: a histogram that is merged into itself must not grow under the loop.
    for (const [bucket, count] of [...other.#buckets()]) this.#addToBucket(bucket, count);
    this.#sum += other.#sum;
    this.#min = Math.min(this.#min, other.#min);
    this.#max = Math.max(this.#max, other.#max);
  }

  /**
   * The value at a rank, within `HISTOGRAM_RELATIVE_ERROR` of the true one.
   *
   * @param rank - 1 is the smallest value, `count` the largest.
   * @throws {RangeError} when no value has that rank.
   */
  valueAtRank(rank: number): number {
    let below = 0;
    for (const [bucket, count] of rank >= 1 ? this.#buckets() : []) {
      below += count;
      if (below >= rank) return Math.min(this.#max, Math.max(this.#min, middleOf(bucket)));
    }
    throw new RangeError(`rank ${rank} does not exist among ${this.#count} values`);
  }

  toJSON(): LogHistogramJson {
    return {
      bucketsPerOctave: BUCKETS_PER_OCTAVE,
      sum: this.#sum,
      min: this.min ?? 0,
      max: this.max ?? 0,
      buckets: [...this.#buckets()],
    };
  }

  #addToBucket(bucket: number, times: number): void {
    const octave = Math.floor(bucket / BUCKETS_PER_OCTAVE);
    let counts = this.#octaves.get(octave);
    if (counts === undefined) {
      counts = new Float64Array(BUCKETS_PER_OCTAVE);
      this.#octaves.set(octave, counts);
    }
    counts[bucket % BUCKETS_PER_OCTAVE]! += requireTimes(times);
    this.#count += times;
  }

  *#buckets(): Generator<readonly [number, number], void, void> {
    for (const octave of [...this.#octaves.keys()].sort((a, b) => a - b)) {
      for (const [i, count] of this.#octaves.get(octave)!.entries()) {
        if (count > 0) yield [octave * BUCKETS_PER_OCTAVE + i, count];
      }
    }
  }
}

const view = new DataView(new ArrayBuffer(8));

/** Exponent and top of the fraction, read from the bits of the double. */
function bucketOf(value: number): number {
  view.setFloat64(0, value);
  const bucket = view.getUint32(0) >>> FRACTION_SHIFT;
  // Below 2^-1022 a double loses digits, and with them the bound on the error: that is 0 here.
  return bucket < BUCKETS_PER_OCTAVE ? 0 : bucket;
}

function middleOf(bucket: number): number {
  return bucket === 0 ? 0 : startOf(bucket) / 2 + startOf(bucket + 1) / 2;
}

function startOf(bucket: number): number {
  view.setUint32(0, bucket << FRACTION_SHIFT);
  view.setUint32(4, 0);
  return view.getFloat64(0);
}
