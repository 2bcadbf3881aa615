import { describe, expect, test } from "vitest";
import { secondColumn } from "../../../src/energy/estimate/second-column.ts";
import type { Sensor } from "../../../src/energy/sensor.ts";
import { every, readings } from "../samples.ts";

const INSTANT: Sensor = { averagingMs: 100, updateMs: 100, kind: "instant" };
const main = every(250, 0, 20_000, () => 200);
const off = (share: number) =>
  every(250, 0, 20_000, (atMs) => 200 + (atMs % 500 ? share : -share) * 200);

describe("secondColumn", () => {
  test("there is none where none is given", () => {
    expect(secondColumn(main, undefined, 5000, 10_000)).toEqual([]);
  });

  test.each(["average", "counter"] as const)("a second column of kind %s is not used", (kind) => {
    const second = { samples: main, sensor: { ...INSTANT, kind } };
    expect(secondColumn(main, second, 5000, 10_000)).toEqual([]);
  });

  test("one that agrees is taken for as good as a gain of its own allows", () => {
    const [column] = secondColumn(main, { samples: off(0), sensor: INSTANT }, 5000, 10_000);
    expect(column).toMatchObject({ sensor: INSTANT, noiseShare: 0.01 });
  });

  test("one that differs by some per cent where the main one stands still is as noisy as that", () => {
    const [column] = secondColumn(main, { samples: off(0.05), sensor: INSTANT }, 5000, 10_000);
    expect(column!.noiseShare).toBeCloseTo(0.05 / 0.6745, 6);
  });

  test("one that differs by more has nothing to say", () => {
    expect(secondColumn(main, { samples: off(0.2), sensor: INSTANT }, 5000, 10_000)).toEqual([]);
  });

  test("its readings are put in order, and what is no number is left out", () => {
    const samples = readings([500, 200], [0, 200], [250, Number.NaN]);
    const [column] = secondColumn(main, { samples, sensor: INSTANT }, 5000, 10_000);
    expect(column!.samples).toEqual(readings([0, 200], [500, 200]));
  });
});
