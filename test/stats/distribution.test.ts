import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Distribution } from "../../src/stats/distribution.ts";
import { PERCENTILES } from "../../src/stats/percentile.ts";
import { seededRandom } from "../../src/stats/seeded-random.ts";
import { summarise } from "../../src/stats/summary.ts";

function distributionOf(values: readonly number[], exactUpTo = 5): Distribution {
  const distribution = new Distribution({ exactUpTo });
  for (const value of values) distribution.add(value);
  return distribution;
}

const latencies = fc.array(fc.double({ min: 1e-3, max: 1e7, noNaN: true }), { maxLength: 300 });

describe("Distribution", () => {
  test("up to the stated size it is exact", () => {
    expect(distributionOf([3, 1, 2, 5, 4]).summary()).toEqual(summarise([1, 2, 3, 4, 5]));
  });

  test("one value more and it says that it is bounded, and by what", () => {
    const summary = distributionOf([3, 1, 2, 5, 4, 6]).summary();
    expect(summary).toMatchObject({ n: 6, min: 1, max: 6, mean: 3.5, isExact: false });
    expect(summary.relativeError).toBe(1 / 1024);
    expect(summary.percentiles.p50).toBeCloseTo(3, 2);
  });

  test("as a histogram it has the percentiles of the sorted values, within the error", () => {
    fc.assert(
      fc.property(latencies, (values) => {
        const truth = summarise(values);
        const { percentiles, relativeError, n } = distributionOf(values).summary();
        expect(n).toBe(truth.n);
        for (const { name } of PERCENTILES) {
          const exact = truth.percentiles[name];
          if (exact === undefined) expect(percentiles).not.toHaveProperty(name);
          else
            expect(Math.abs(percentiles[name]! - exact)).toBeLessThanOrEqual(relativeError * exact);
        }
      }),
    );
  });

  test("merging is adding, in whatever state the two are", () => {
    fc.assert(
      fc.property(latencies, latencies, fc.integer({ min: 0, max: 700 }), (a, b, exactUpTo) => {
        const merged = distributionOf(a, exactUpTo);
        merged.merge(distributionOf(b, exactUpTo));
        const { mean, ...rest } = merged.summary();
        const { mean: wholeMean, ...whole } = distributionOf([...a, ...b], exactUpTo).summary();
        expect(rest).toEqual(whole);
        expect(mean ?? 0).toBeCloseTo(wholeMean ?? 0, 6);
      }),
    );
  });

  test("merged into itself it has everything twice", () => {
    const distribution = distributionOf([1, 2]);
    distribution.merge(distribution);
    expect(distribution.summary()).toEqual(summarise([1, 1, 2, 2]));
  });

  test.each([[[]], [[1, 2]], [[1, 2, 3, 4, 5, 6, 7]]])("%j survives JSON", (values) => {
    const distribution = distributionOf(values);
    const back = Distribution.fromJson(JSON.parse(JSON.stringify(distribution)));
    expect(back.summary()).toEqual(distribution.summary());
    back.add(1);
    expect(back.n).toBe(values.length + 1);
  });

  test("a value counted k times is k values, also across the change of state", () => {
    const distribution = distributionOf([1]);
    distribution.add(2, 3);
    expect(distribution.summary()).toEqual(summarise([1, 2, 2, 2]));
    distribution.add(4, 4);
    expect(distribution.summary()).toMatchObject({ n: 8, mean: 23 / 8, isExact: false });
  });

  test.each([
    [Number.NaN, 1],
    [-1, 1],
    [Infinity, 1],
    [1, 0],
    [1, 0.5],
    [1, Number.NaN],
  ])("%d counted %d times is an error in both states", (value, times) => {
    for (const distribution of [distributionOf([]), distributionOf([1, 1, 1, 1, 1, 1])]) {
      const { n } = distribution;
      expect(() => distribution.add(value, times)).toThrow(RangeError);
      expect(distribution.n).toBe(n);
    }
  });

  test("a million values take a few kilobytes and stay within the bound", () => {
    const random = seededRandom(7);
    const values = Array.from({ length: 1_000_000 }, () => 5 * Math.exp(4 * random()));
    const distribution = distributionOf(values, 10_000);
    const truth = summarise(values);
    const { percentiles, mean, n, min, max } = distribution.summary();
    expect({ n, min, max }).toEqual({ n: 1_000_000, min: truth.min, max: truth.max });
    expect(mean).toBeCloseTo(truth.mean!, 6);
    for (const { name } of PERCENTILES) {
      const ratio = percentiles[name]! / truth.percentiles[name]!;
      expect(Math.abs(ratio - 1)).toBeLessThanOrEqual(1 / 1024);
    }
    // exp(4) spans 5.8 octaves, so 7 at most with 512 buckets each.
    expect(JSON.stringify(distribution).length).toBeLessThan(7 * 512 * 16);
  });
});
