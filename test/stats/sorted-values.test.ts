import { describe, expect, test } from "vitest";
import { percentiles } from "../../src/stats/percentile.ts";
import { sortValues } from "../../src/stats/sorted-values.ts";

describe("sortValues", () => {
  test("sorts by number, not by text", () => {
    expect(Array.from(sortValues([10, 9, -1, 2.5]))).toEqual([-1, 2.5, 9, 10]);
  });

  test("leaves its input as it was", () => {
    const input = [3, 1, 2];
    sortValues(input);
    expect(input).toEqual([3, 1, 2]);
  });

  test("unsorted values do not compile where sorted ones are asked for", () => {
    // @ts-expect-error: plain numbers are not known to be sorted.
    expect(percentiles([2, 1])).toEqual({ p50: 2 });
  });

  test.each([Number.NaN, Infinity, -Infinity])("%d is an error", (value) => {
    expect(() => sortValues([1, value, 2])).toThrow(RangeError);
  });

  test("a hole is an error, not a zero", () => {
    expect(() => sortValues(new Array<number>(3))).toThrow(RangeError);
  });
});
