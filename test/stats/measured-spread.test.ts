import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { measuredSpread } from "../../src/stats/measured-spread.ts";
import { spread } from "../../src/stats/spread.ts";

describe("repeats that have intervals of their own", () => {
  test("that agree to the last digit are no better known than one of them", () => {
    const same = { value: 100, lo: 97, hi: 104 };
    expect(measuredSpread([same, same, same])).toEqual(same);
  });

  test("that scatter have both in their interval, by their squares", () => {
    // Student of two values: ± 12.7062.
    const found = measuredSpread([
      { value: 10, lo: 6, hi: 13 },
      { value: 12, lo: 8, hi: 15 },
    ])!;
    expect(found.value).toBe(11);
    expect(found.lo).toBeCloseTo(11 - Math.hypot(12.7062, 4), 3);
    expect(found.hi).toBeCloseTo(11 + Math.hypot(12.7062, 3), 3);
  });

  test("never have a narrower interval than their scatter, or than a typical one of them", () => {
    const measured = fc
      .record({ value: fc.integer({ min: 0, max: 1000 }), down: fc.nat(50), up: fc.nat(50) })
      .map(({ value, down, up }) => ({ value, lo: value - down, hi: value + up }));
    fc.assert(
      fc.property(fc.array(measured, { minLength: 2, maxLength: 9 }), (values) => {
        const found = measuredSpread(values)!;
        const { interval } = spread(values.map(({ value }) => value))!;
        const lo = spread(values.map((one) => one.lo))!.median;
        const hi = spread(values.map((one) => one.hi))!.median;
        expect(found.lo).toBeLessThanOrEqual(Math.min(lo, interval!.lo) + 1e-9);
        expect(found.hi).toBeGreaterThanOrEqual(Math.max(hi, interval!.hi) - 1e-9);
      }),
    );
  });

  test("of none there is nothing, and a single one is as it is", () => {
    expect(measuredSpread([])).toBeUndefined();
    expect(measuredSpread([{ value: 3, lo: 2, hi: 5 }])).toEqual({ value: 3, lo: 2, hi: 5 });
  });
});
