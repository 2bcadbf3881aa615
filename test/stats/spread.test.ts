import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Random, seededRandom } from "../../src/stats/seeded-random.ts";
import { spread } from "../../src/stats/spread.ts";

describe("spread", () => {
  test("no value has no spread, one value has a median and no interval", () => {
    expect(spread([])).toBeUndefined();
    expect(spread([7])).toEqual({ n: 1, median: 7 });
  });

  test("two values: the median is their mean, the interval 12.7 times half their distance", () => {
    // s = √2, standard error = √2/√2 = 1.
    const { median, interval } = spread([12, 10])!;
    expect(median).toBe(11);
    expect(interval).toMatchObject({ method: "t", coverage: 0.95 });
    expect(interval!.lo).toBeCloseTo(11 - 12.7062, 4);
    expect(interval!.hi).toBeCloseTo(11 + 12.7062, 4);
  });

  test("three values, by the t table", () => {
    // Mean 11, s = 1, standard error 1/√3 = 0.57735, × 4.30265 = 2.48414.
    const { median, interval } = spread([11, 10, 12])!;
    expect(median).toBe(11);
    expect(interval!.lo).toBeCloseTo(8.51586, 4);
    expect(interval!.hi).toBeCloseTo(13.48414, 4);
  });

  test.each([
    [6, 1, 6, 1 - 2 / 64],
    [7, 1, 7, 1 - 2 / 128],
    [8, 1, 8, 1 - 2 / 256],
    [9, 2, 8, 1 - 20 / 512],
    [10, 2, 9, 1 - 22 / 1024],
    [12, 3, 10, 1 - 2 * (79 / 4096)],
  ])("of %i values it reaches from the %i. to the %i.", (n, lo, hi, coverage) => {
    const values = Array.from({ length: n }, (_, i) => n - i);
    const { interval } = spread(values)!;
    expect(interval).toMatchObject({ lo, hi, method: "order" });
    expect(interval!.coverage).toBeCloseTo(coverage, 12);
  });

  test("equal values have an interval of no width", () => {
    expect(spread([3, 3, 3])!.interval).toMatchObject({ lo: 3, hi: 3 });
    expect(spread(new Array<number>(9).fill(3))!.interval).toMatchObject({ lo: 3, hi: 3 });
  });

  test("the interval always holds the median", () => {
    const values = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), {
      minLength: 2,
      maxLength: 40,
    });
    fc.assert(
      fc.property(values, (input) => {
        const { median, interval } = spread(input)!;
        const rounding = 1e-6;
        expect(interval!.lo).toBeLessThanOrEqual(median + rounding);
        expect(interval!.hi).toBeGreaterThanOrEqual(median - rounding);
      }),
    );
  });

  test.each([2, 3, 5, 6, 10])("of %i normal repeats it holds the truth in 95 %% or more", (n) => {
    const random = seededRandom(11, n);
    const rounds = 4000;
    let held = 0;
    for (let round = 0; round < rounds; round++) {
      const { lo, hi } = spread(Array.from({ length: n }, () => normal(random)))!.interval!;
      if (lo <= 0 && hi >= 0) held++;
    }
    // Three standard errors of 4,000 draws at 95 % are 1 %.
    expect(held / rounds).toBeGreaterThan(0.94);
  });

  test("thousands of repeats do not underflow", () => {
    const values = Array.from({ length: 5000 }, (_, i) => i + 1);
    const { lo, hi, coverage } = spread(values)!.interval!;
    // √5000/2 × 1.96 = 69.3 ranks on each side of 2500.5.
    expect(lo).toBeGreaterThan(2425);
    expect(hi).toBeLessThan(2576);
    expect(coverage).toBeGreaterThanOrEqual(0.95);
  });

  test("a value that is not a number is an error", () => {
    expect(() => spread([1, Number.NaN])).toThrow(RangeError);
  });
});

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
