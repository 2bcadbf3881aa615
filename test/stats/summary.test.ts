import { describe, expect, test } from "vitest";
import { summarise } from "../../src/stats/summary.ts";

describe("summarise", () => {
  test("tells n, edges, mean and the percentiles that n allows", () => {
    expect(summarise([4, 1, 1])).toEqual({
      n: 3,
      min: 1,
      max: 4,
      mean: 2,
      percentiles: { p50: 1 },
      isExact: true,
      relativeError: 0,
    });
  });

  test("of no values it tells that there are none, and no zero in their place", () => {
    expect(summarise([])).toEqual({ n: 0, percentiles: {}, isExact: true, relativeError: 0 });
  });

  test("one value has edges and a mean but no percentile", () => {
    expect(summarise([5])).toMatchObject({ n: 1, min: 5, max: 5, mean: 5, percentiles: {} });
  });

  test("a value that is not a number is an error", () => {
    expect(() => summarise([1, Number.NaN])).toThrow(RangeError);
  });
});
