import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HISTOGRAM_RELATIVE_ERROR, LogHistogram } from "../../src/stats/log-histogram.ts";

function histogramOf(values: readonly number[]): LogHistogram {
  const histogram = new LogHistogram();
  for (const value of values) histogram.add(value);
  return histogram;
}

/** Any double from the smallest normal one to the largest, all sizes alike. */
const anySize = fc.double({ min: -1021, max: 1023, noNaN: true }).map((power) => 2 ** power);

describe("LogHistogram", () => {
  test("1 and its neighbours fall into buckets of a 512th", () => {
    const histogram = histogramOf([1, 1 + 1 / 512, 2]);
    // 2^0 is exponent 1023 of a double: 1023 × 512 = 523,776; 2 is one octave further.
    expect(histogram.toJSON()).toEqual({
      bucketsPerOctave: 512,
      sum: 4 + 1 / 512,
      min: 1,
      max: 2,
      buckets: [
        [523_776, 1],
        [523_777, 1],
        [524_288, 1],
      ],
    });
  });

  test("a value at a rank is the middle of its bucket, and never beyond the edges", () => {
    const histogram = histogramOf([1, 1.0001, 1.0002, 1000]);
    expect(histogram.valueAtRank(1)).toBe(1 + 1 / 1024);
    expect(histogram.valueAtRank(3)).toBe(1 + 1 / 1024);
    expect(histogram.valueAtRank(4)).toBe(1000);
    expect(histogramOf([1.0001]).valueAtRank(1)).toBe(1.0001);
  });

  test("the value at every rank lies within the error bound of the true one", () => {
    fc.assert(
      fc.property(fc.array(anySize, { minLength: 1, maxLength: 200 }), (values) => {
        const histogram = histogramOf(values);
        for (const [i, truth] of values.toSorted((a, b) => a - b).entries()) {
          const distance = Math.abs(histogram.valueAtRank(i + 1) - truth);
          expect(distance / truth).toBeLessThanOrEqual(HISTOGRAM_RELATIVE_ERROR);
        }
      }),
    );
  });

  test("count, sum, min and max are exact", () => {
    const histogram = histogramOf([0.1, 0.2, 700.25]);
    expect(histogram.count).toBe(3);
    expect(histogram.sum).toBe(0.1 + 0.2 + 700.25);
    expect(histogram.min).toBe(0.1);
    expect(histogram.max).toBe(700.25);
  });

  test("merged parts are the histogram of the whole, however it was cut", () => {
    fc.assert(
      fc.property(fc.array(anySize), fc.array(anySize), (a, b) => {
        const merged = histogramOf(a);
        merged.merge(histogramOf(b));
        const whole = histogramOf([...a, ...b]);
        expect(merged.toJSON().buckets).toEqual(whole.toJSON().buckets);
        expect([merged.count, merged.min, merged.max]).toEqual([whole.count, whole.min, whole.max]);
      }),
    );
  });

  test("merged into itself it counts everything twice", () => {
    const histogram = histogramOf([1, 2, 2]);
    histogram.merge(histogram);
    expect(histogram.count).toBe(6);
    expect(histogram.sum).toBe(10);
  });

  test("it survives JSON", () => {
    const histogram = histogramOf([0, 0.004, 17, 17, 1e9]);
    const back = LogHistogram.fromJson(JSON.parse(JSON.stringify(histogram)));
    expect(back.toJSON()).toEqual(histogram.toJSON());
    expect(back.count).toBe(5);
    expect(LogHistogram.fromJson(new LogHistogram().toJSON()).min).toBeUndefined();
  });

  test("JSON of other buckets, or with a count that is none, is an error", () => {
    const json = histogramOf([1]).toJSON();
    expect(() => LogHistogram.fromJson({ ...json, bucketsPerOctave: 256 })).toThrow(/256/);
    expect(() => LogHistogram.fromJson({ ...json, buckets: [[523_776, -1]] })).toThrow(RangeError);
    expect(() => LogHistogram.fromJson({ ...json, sum: Number.NaN })).toThrow(RangeError);
  });

  test("a value counted three times is three values", () => {
    const histogram = new LogHistogram();
    histogram.add(5, 3);
    expect(histogram.toJSON()).toEqual(histogramOf([5, 5, 5]).toJSON());
  });

  test("zero, minus zero and what is below every normal double are 0", () => {
    const histogram = histogramOf([0, -0, 5e-324]);
    expect(histogram.toJSON().buckets).toEqual([[0, 3]]);
    expect(histogram.valueAtRank(1)).toBe(0);
  });

  test("the largest double has a place", () => {
    expect(histogramOf([Number.MAX_VALUE]).valueAtRank(1)).toBe(Number.MAX_VALUE);
  });

  test.each([Number.NaN, Infinity, -1, -1e-9])("%d is an error and counts nothing", (value) => {
    const histogram = new LogHistogram();
    expect(() => histogram.add(value)).toThrow(RangeError);
    expect(histogram.count).toBe(0);
  });

  test.each([0, -1, 1.5, Number.NaN])("a value cannot be counted %d times", (times) => {
    expect(() => new LogHistogram().add(1, times)).toThrow(RangeError);
  });

  test.each([0, -1, 3, Number.NaN])("rank %d of two values is an error", (rank) => {
    expect(() => histogramOf([1, 2]).valueAtRank(rank)).toThrow(RangeError);
  });

  test("no value has no edges", () => {
    expect(new LogHistogram().min).toBeUndefined();
    expect(new LogHistogram().max).toBeUndefined();
    expect(() => new LogHistogram().valueAtRank(1)).toThrow(RangeError);
  });
});
