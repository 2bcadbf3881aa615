import { describe, expect, test } from "vitest";
import { isQuiet } from "../../src/energy/judge-quiet.ts";
import type { PowerSample } from "../../src/energy/power-sample.ts";
import type { Sensor } from "../../src/energy/sensor.ts";

const SENSOR: Sensor = { averagingMs: 1000, updateMs: 100, kind: "average" };

/** Readings every 250 ms. */
const readings = (...watts: readonly number[]): readonly PowerSample[] =>
  watts.map((powerW, i) => ({ atMs: 250 * i, powerW }));
const quiet = (...watts: readonly number[]): boolean => isQuiet(readings(...watts), SENSOR, 250);

describe("power", () => {
  test("stands still when the latest readings do, whatever was before", () => {
    expect(quiet(300, 200, 150, 150.4, 149.8)).toBe(true);
  });

  test("moves while the mean over the averaging time still follows a step", () => {
    // 150 → 129 W, as clocks step down two seconds after a load.
    const ramp = [150, 150, 150, 144.8, 139.5, 134.3, 129, 129, 129];
    const found = ramp.map((_, i) => quiet(...ramp.slice(0, i + 1)));
    expect(found).toEqual([false, false, true, false, false, false, false, false, true]);
  });

  test("of a loaded card may move by a few per cent, that of an idle one by a few watts", () => {
    expect(quiet(600, 610, 605)).toBe(true);
    expect(quiet(600, 620, 605)).toBe(false);
    expect(quiet(20, 22, 21)).toBe(true);
    expect(quiet(20, 24, 21)).toBe(false);
  });

  test("of too few readings is not known to stand still", () => {
    expect(quiet()).toBe(false);
    expect(quiet(100, 100)).toBe(false);
  });

  test("is looked at over 400 ms at least, however fast it is read", () => {
    const fast = Array.from({ length: 12 }, (_, i) => ({
      atMs: 20 * i,
      powerW: i < 7 ? 200 : 150,
    }));
    expect(isQuiet(fast, SENSOR, 20)).toBe(false);
    expect(isQuiet([...fast, ...readOn(fast, 12)], SENSOR, 20)).toBe(false);
    expect(isQuiet([...fast, ...readOn(fast, 20)], SENSOR, 20)).toBe(true);
  });
});

/** The same power, read on. */
function readOn(before: readonly PowerSample[], count: number): readonly PowerSample[] {
  const { atMs, powerW } = before.at(-1)!;
  return Array.from({ length: count }, (_, i) => ({ atMs: atMs + 20 * (i + 1), powerW }));
}
