import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nearestRank, PERCENTILES, percentiles } from "../../src/stats/percentile.ts";
import { sortValues } from "../../src/stats/sorted-values.ts";

const upTo = (n: number) => sortValues(Array.from({ length: n }, (_, i) => n - i));

describe("percentiles", () => {
  test("each is one of the values, the one at the nearest rank", () => {
    expect(percentiles(sortValues([50, 15, 40, 20, 35]))).toEqual({ p50: 35 });
    expect(percentiles(upTo(10))).toEqual({ p50: 5, p90: 9 });
    expect(percentiles(upTo(11))).toEqual({ p50: 6, p90: 10 });
    expect(percentiles(upTo(100))).toEqual({ p50: 50, p90: 90, p95: 95, p99: 99 });
  });

  test("p99.9 of 1 to 1,000 is 999: the rank is not rounded up by a double", () => {
    expect(percentiles(upTo(1000))).toEqual({ p50: 500, p90: 900, p95: 950, p99: 990, p999: 999 });
    expect(nearestRank(41_000, 999)).toBe(40_959);
    expect(nearestRank(1_000_000, 999)).toBe(999_000);
    expect(nearestRank(10_000_000_000, 999)).toBe(9_990_000_000);
  });

  test.each([
    ["p50", 2],
    ["p90", 10],
    ["p95", 20],
    ["p99", 100],
    ["p999", 1000],
  ] as const)("%s is told from %i values on and absent below", (name, fromCount) => {
    expect(percentiles(upTo(fromCount - 1))).not.toHaveProperty(name);
    expect(percentiles(upTo(fromCount))).toHaveProperty(name);
  });

  test("of no value and of one value there is none", () => {
    expect(percentiles(upTo(0))).toEqual({});
    expect(percentiles(upTo(1))).toEqual({});
  });

  test("equal values have equal percentiles", () => {
    const same = percentiles(sortValues(new Float64Array(1000).fill(7)));
    expect(same).toEqual({ p50: 7, p90: 7, p95: 7, p99: 7, p999: 7 });
  });

  test("at least the named share lies at or below, and no smaller value can say so", () => {
    const values = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), {
      maxLength: 1200,
    });
    fc.assert(
      fc.property(values, (input) => {
        const found = percentiles(sortValues(input));
        for (const { name, permille } of PERCENTILES) {
          const value = found[name];
          if (value === undefined) continue;
          expect(input).toContain(value);
          const atOrBelow = input.filter((other) => other <= value).length;
          const below = input.filter((other) => other < value).length;
          expect(atOrBelow * 1000).toBeGreaterThanOrEqual(permille * input.length);
          expect(below * 1000).toBeLessThan(permille * input.length);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("a rank always exists", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e9 }),
        fc.integer({ min: 1, max: 999 }),
        (count, permille) => {
          const rank = nearestRank(count, permille);
          return rank >= 1 && rank <= count;
        },
      ),
    );
  });
});
