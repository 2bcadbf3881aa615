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

  const RESTING = every(250, 0, 2000, (atMs) => (atMs < 1000 ? 100.5 : 100.75));

  test("where a sensor was seen to renew slowly, the next reading may be as old as the gap before it", () => {
    const rows = sensorRows([...RESTING, ...readings([2250, 300.5])], SENSOR);
    expect(rows.at(-1)!.shiftSdMs).toBeCloseTo(250 * EVEN_SD, 6);
    expect(rows.at(-1)!.toMs).toBe(2125);
  });

  test("power that stands still says nothing of a slow sensor", () => {
    const standing = every(250, 0, 2000, () => 100.5);
    const rows = sensorRows([...standing, ...readings([2250, 300.5])], SENSOR);
    expect(rows).toHaveLength(standing.length + 1);
    expect(rows.at(-1)!.toMs).toBe(2200);
  });

  test("the one after that is of an update again", () => {
    const rows = sensorRows([...RESTING, ...readings([2250, 300.5], [2500, 310.5])], SENSOR);
    expect(rows.at(-1)!.toMs).toBe(2450);
  });

  test("a source of whole watts is noisier than one with digits", () => {
    const [whole] = sensorRows(readings([0, 100]), SENSOR);
    const [fine] = sensorRows(readings([0, 100.01]), SENSOR);
    expect(whole!.noiseW).toBeCloseTo(Math.hypot(0.3, EVEN_SD), 6);
    expect(fine!.noiseW).toBeCloseTo(0.3, 2);
  });

  test("a stale reading tells again once it has stood for longer than a rest", () => {
    const rows = sensorRows(
      every(250, 0, 5000, (atMs) => (atMs < 2500 ? 100.5 : 100.75)),
      SENSOR,
    );
    expect(rows.map(({ powerW }) => powerW)).toEqual([100.5, 100.5, 100.75, 100.75, 100.75]);
    expect(rows[1]!.shiftSdMs).toBeCloseTo(1000 * EVEN_SD, 6);
  });

  test("the noise of a column that differs by a share of its power grows with the power", () => {
    const [row] = sensorRows(readings([0, 400.5]), SENSOR, 0.02);
    expect(row!.noiseW).toBeCloseTo(8.01, 2);
  });

  test("no readings say nothing", () => {
    expect(sensorRows([], SENSOR)).toEqual([]);
  });
});
