import { describe, expect, test } from "vitest";
import { sensorRows } from "../../../src/energy/estimate/sensor-rows.ts";
import type { Sensor } from "../../../src/energy/sensor.ts";
import { every, readings } from "../samples.ts";

const SENSOR: Sensor = { averagingMs: 1000, updateMs: 100, kind: "average" };
const EVEN_SD = 1 / Math.sqrt(12);

describe("sensorRows", () => {
  test("a reading is the mean of the averaging time before it, half an update old", () => {
    const rows = sensorRows(readings([1000, 100.5], [1250, 101.25]), SENSOR);
    expect(rows[1]).toMatchObject({ fromMs: 200, toMs: 1200, powerW: 101.25 });
    expect(rows[1]!.shiftSdMs).toBeCloseTo(100 * EVEN_SD, 6);
  });

  test("read faster than the sensor renews, a new reading is no older than the gap before it", () => {
    const rows = sensorRows(readings([1000, 100.5], [1010, 101.25]), SENSOR);
    expect(rows[1]).toMatchObject({ toMs: 1005 });
    expect(rows[1]!.shiftSdMs).toBeCloseTo(10 * EVEN_SD, 6);
  });

  test("repeats of one reading are dropped", () => {
    const samples = readings([0, 100.5], [20, 100.5], [40, 100.5], [60, 102.5], [80, 102.5]);
    expect(sensorRows(samples, SENSOR).map(({ powerW }) => powerW)).toEqual([100.5, 102.5]);
  });

  test("after a reading that stood for a second the next one may be as old as the gap before it", () => {
    const standing = every(250, 0, 1000, () => 100.5);
    const [, next] = sensorRows([...standing, ...readings([1250, 300.5])], SENSOR);
    expect(next!.shiftSdMs).toBeCloseTo(250 * EVEN_SD, 6);
    expect(next!.toMs).toBe(1125);
  });

  test("the one after that is of an update again", () => {
    const standing = every(250, 0, 1000, () => 100.5);
    const rows = sensorRows([...standing, ...readings([1250, 300.5], [1500, 310.5])], SENSOR);
    expect(rows.at(-1)!.toMs).toBe(1450);
  });

  test("a source of whole watts is noisier than one with digits", () => {
    const [whole] = sensorRows(readings([0, 100]), SENSOR);
    const [fine] = sensorRows(readings([0, 100.01]), SENSOR);
    expect(whole!.noiseW).toBeCloseTo(Math.hypot(0.3, EVEN_SD), 6);
    expect(fine!.noiseW).toBeCloseTo(0.3, 2);
  });

  test.each([100, 100.5])(
    "%d W that stands for longer than a rest tells again, of that age",
    (powerW) => {
      const rows = sensorRows(
        every(250, 0, 3000, () => powerW),
        SENSOR,
      );
      expect(rows).toHaveLength(3);
      expect(rows[1]!.toMs).toBe(750);
      expect(rows[1]!.shiftSdMs).toBeCloseTo(1000 * EVEN_SD, 6);
    },
  );

  test("the noise of a column that differs by a share of its power grows with the power", () => {
    const [row] = sensorRows(readings([0, 400.5]), SENSOR, 0.02);
    expect(row!.noiseW).toBeCloseTo(8.01, 2);
  });

  test("no readings say nothing", () => {
    expect(sensorRows([], SENSOR)).toEqual([]);
  });
});
