import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { explainedEstimate } from "../../src/energy/estimate.ts";
import { type ColumnFacts, estimateDevices } from "../../src/energy/estimate-devices.ts";
import type { PowerSample } from "../../src/energy/power-sample.ts";
import type { Sensor } from "../../src/energy/sensor.ts";
import { every } from "./samples.ts";

const AVERAGE: Sensor = { averagingMs: 1000, updateMs: 100, kind: "average" };
const INSTANT: Sensor = { averagingMs: 100, updateMs: 100, kind: "instant" };
const FACTS: ColumnFacts = { sensor: AVERAGE };
const SECOND: ColumnFacts = {
  sensor: AVERAGE,
  second: { field: "power.draw.instant", sensor: INSTANT },
};

/** Readings around a window from 10 to 20 s, of a device that draws the same all the time. */
function steady(powerW: number): PowerSample[] {
  return every(250, 0, 30_000, (atMs) => powerW + ((atMs / 250) % 2) / 10);
}

function device(id: string, samples: readonly PowerSample[]) {
  return { id, name: `GPU ${id}`, samples };
}

function alone(samples: readonly PowerSample[], sensor = AVERAGE) {
  const found = explainedEstimate(samples, 10_000, 20_000, sensor);
  if ("reason" in found) throw new Error(found.detail);
  return found;
}

describe("the estimate over several devices", () => {
  test("adds joules, and each side's half-widths linearly", () => {
    const powers = fc.array(fc.integer({ min: 10, max: 700 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(powers, (all) => {
        const series = all.map((powerW, i) => device(String(i), steady(powerW)));
        const { estimate, byDevice, reasons } = estimateDevices(series, 10_000, 20_000, FACTS);
        const own = all.map((powerW) => alone(steady(powerW)));
        const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
        expect(reasons).toEqual([]);
        expect(Object.values(byDevice)).toEqual(own);
        expect(estimate!.energyJ).toBeCloseTo(sum(own.map(({ energyJ }) => energyJ)), 6);
        const down = sum(own.map(({ energyJ, loJ }) => energyJ - loJ));
        const up = sum(own.map(({ energyJ, hiJ }) => hiJ - energyJ));
        expect(estimate!.energyJ - estimate!.loJ).toBeCloseTo(down, 6);
        expect(estimate!.hiJ - estimate!.energyJ).toBeCloseTo(up, 6);
      }),
      { numRuns: 20 },
    );
  });

  test("is absent where one device has none: a smaller sum would look like a saving", () => {
    const series = [device("a", steady(300)), device("b", [])];
    const found = estimateDevices(series, 10_000, 20_000, FACTS);
    expect(found).not.toHaveProperty("estimate");
    expect(found.byDevice).toHaveProperty("a");
    expect(found.byDevice).not.toHaveProperty("b");
    expect(found.reasons).toEqual([
      {
        reason: "rail_not_bracketed",
        refuses: "estimate",
        detail: expect.stringMatching(/^GPU b/),
      },
    ]);
  });

  test("of no device at all is absent, never zero", () => {
    expect(estimateDevices([], 0, 1000, FACTS)).toEqual({ byDevice: {}, reasons: [] });
  });
});

describe("a second column of the same readings", () => {
  const both = (powerW: number, instantW: number): PowerSample[] =>
    steady(powerW).map((sample) => ({ ...sample, instantW }));

  test("has an estimate of its own, made of nothing else", () => {
    const series = [device("a", both(300, 200)), device("b", both(100, 50))];
    const { second } = estimateDevices(series, 10_000, 20_000, SECOND);
    const flat = (powerW: number): PowerSample[] => every(250, 0, 30_000, () => powerW);
    expect(second!.field).toBe("power.draw.instant");
    expect(second!.estimate.energyJ).toBeCloseTo(
      alone(flat(200), INSTANT).energyJ + alone(flat(50), INSTANT).energyJ,
      6,
    );
  });

  test("is absent where it was not declared, or one device's readings do not carry it", () => {
    const series = [device("a", both(300, 200)), device("b", steady(100))];
    expect(estimateDevices(series, 10_000, 20_000, SECOND)).not.toHaveProperty("second");
    expect(estimateDevices(series, 10_000, 20_000, SECOND)).toHaveProperty("estimate");
    expect(estimateDevices([series[0]!], 10_000, 20_000, FACTS)).not.toHaveProperty("second");
  });
});
