import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  readingsBetween,
  readingsInOrder,
} from "../../../src/energy/estimate/readings-in-order.ts";
import { every, readings } from "../samples.ts";

describe("readingsInOrder", () => {
  test("any order gives the same readings", () => {
    const samples = every(100, 0, 3000, (atMs) => 100 + (atMs % 700));
    fc.assert(
      fc.property(fc.shuffledSubarray(samples, { minLength: samples.length }), (shuffled) => {
        expect(readingsInOrder(shuffled)).toEqual(samples);
      }),
    );
  });

  test("of several readings with one stamp the last one counts", () => {
    const samples = readings([0, 100], [250, 101], [250, 102], [500, 103]);
    expect(readingsInOrder(samples)).toEqual(readings([0, 100], [250, 102], [500, 103]));
  });

  test("readings and stamps that are no numbers, and watts below zero, are not there", () => {
    const bad = readings(
      [100, Number.NaN],
      [200, Number.POSITIVE_INFINITY],
      [300, -1],
      [Number.NaN, 100],
      [Number.POSITIVE_INFINITY, 100],
    );
    expect(readingsInOrder([...readings([0, 0]), ...bad])).toEqual(readings([0, 0]));
  });

  test("leaves what it was given as it is", () => {
    const samples = Object.freeze(readings([250, 1], [0, 2]));
    expect(readingsInOrder(samples)).toEqual(readings([0, 2], [250, 1]));
  });
});

describe("readingsBetween", () => {
  test("holds the readings from the first moment to before the second", () => {
    const samples = every(10, 0, 500, () => 100);
    const moments = fc.integer({ min: -50, max: 550 });
    fc.assert(
      fc.property(moments, moments, (fromMs, toMs) => {
        const expected = samples.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
        expect(readingsBetween(samples, fromMs, toMs)).toEqual(expected);
      }),
    );
  });
});
