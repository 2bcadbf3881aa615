import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aboveIdleJ } from "../../src/energy/above-idle.ts";
import type { EnergyWindow } from "../../src/energy/energy-window.ts";
import { integrate } from "../../src/energy/integrate.ts";
import { joulesPerToken } from "../../src/energy/joules-per-token.ts";
import { sumDevices } from "../../src/energy/sum-devices.ts";
import { sumWindows } from "../../src/energy/sum-windows.ts";
import { every, readings } from "./samples.ts";

describe("sumDevices", () => {
  test("adds the joules of devices that are read at different times", () => {
    const a = readings([100, 100], [600, 200]);
    const b = readings([300, 10], [800, 40]);
    // a: 100 W × 0.6 s + 200 W × 0.4 s; b: 10 W × 0.8 s + 40 W × 0.2 s
    expect(sumDevices([a, b], 0, 1000)).toEqual({
      windowS: 1,
      samples: 4,
      energyJ: 156,
      meanPowerW: 156,
      // From 800 ms on both are at their highest.
      maxPowerW: 240,
    });
  });

  test("the maximum is that of the sum at one time, not the sum of the maxima", () => {
    const a = readings([0, 300], [500, 50]);
    const b = readings([0, 50], [500, 300]);
    expect(sumDevices([a, b], 0, 1000)?.maxPowerW).toBe(350);
  });

  test("a device without a reading makes the sum unknown, not smaller", () => {
    expect(sumDevices([readings([0, 80.5], [250, 81.12]), []], 0, 500)).toBeUndefined();
    expect(sumDevices([], 0, 500)).toBeUndefined();
  });

  test("a flag's share is the largest of the devices'", () => {
    const capped = [{ atMs: 0, powerW: 1, swPowerCap: true, hwPowerBrake: false }];
    const free = [{ atMs: 0, powerW: 1, swPowerCap: false }];
    expect(sumDevices([free, capped], 0, 1)).toMatchObject({
      swPowerCapFrac: 1,
      hwPowerBrakeFrac: 0,
    });
  });

  test("eight devices of one power are eight times one", () => {
    const one = every(250, 0, 10_000, (atMs) => 300 + (atMs % 7));
    const eight = sumDevices(
      Array.from({ length: 8 }, () => one),
      0,
      10_000,
    )!;
    const single = integrate(one, 0, 10_000)!;
    expect(eight.energyJ).toBeCloseTo(8 * single.energyJ, 6);
    expect(eight.maxPowerW).toBeCloseTo(8 * single.maxPowerW, 9);
    expect(eight.samples).toBe(8 * single.samples);
  });

  test("one device alone is its own integral", () => {
    const one = every(250, 0, 2000, (atMs) => atMs);
    expect(sumDevices([one], 0, 2000)).toEqual(integrate(one, 0, 2000));
  });
});

describe("sumWindows", () => {
  const first: EnergyWindow = {
    windowS: 1,
    samples: 4,
    energyJ: 100,
    meanPowerW: 100,
    maxPowerW: 120,
  };
  const second: EnergyWindow = {
    windowS: 3,
    samples: 12,
    energyJ: 900,
    meanPowerW: 300,
    maxPowerW: 310,
  };

  test("adds joules, seconds and readings and derives the mean again", () => {
    expect(sumWindows([first, second])).toEqual({
      windowS: 4,
      samples: 16,
      energyJ: 1000,
      meanPowerW: 250,
      maxPowerW: 310,
    });
  });

  test("weighs a flag's share by the readings of the windows that report it", () => {
    const capped = { ...first, swPowerCapFrac: 1 };
    const free = { ...second, swPowerCapFrac: 0 };
    expect(sumWindows([capped, free])?.swPowerCapFrac).toBe(4 / 16);
    expect(sumWindows([capped, second])?.swPowerCapFrac).toBe(1);
    expect(sumWindows([first, second])).not.toHaveProperty("swPowerCapFrac");
  });

  test("no window is no sum", () => {
    expect(sumWindows([])).toBeUndefined();
  });

  test("the order of windows does not matter", () => {
    const window = fc.record({
      windowS: fc.double({ min: 0.1, max: 100, noNaN: true }),
      samples: fc.integer({ min: 1, max: 1000 }),
      energyJ: fc.double({ min: 0, max: 1e6, noNaN: true }),
      meanPowerW: fc.constant(0),
      maxPowerW: fc.double({ min: 0, max: 3000, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(window, { minLength: 1, maxLength: 8 }), (windows) => {
        const forth = sumWindows(windows)!;
        const back = sumWindows(windows.toReversed())!;
        expect(back.meanPowerW).toBeCloseTo(forth.meanPowerW, 6);
        expect(back.samples).toBe(forth.samples);
      }),
    );
  });
});

describe("aboveIdleJ", () => {
  test("takes the idle power of the same time away, and is not clamped at zero", () => {
    expect(aboveIdleJ({ energyJ: 1000, windowS: 2 }, { meanPowerW: 100 })).toBe(800);
    expect(aboveIdleJ({ energyJ: 150, windowS: 2 }, { meanPowerW: 100 })).toBe(-50);
  });
});

describe("joulesPerToken", () => {
  test("divides joules by tokens", () => {
    expect(joulesPerToken(72_000, 72_000)).toBe(1);
  });

  test.each([
    [100, 0],
    [100, -1],
    [100, undefined],
    [100, Number.NaN],
    [100, Number.POSITIVE_INFINITY],
    [0, 10],
    [-5, 10],
    [Number.NaN, 10],
    [Number.POSITIVE_INFINITY, 10],
    [undefined, 10],
  ])("%s J over %s tokens is no figure", (energyJ, tokens) => {
    expect(joulesPerToken(energyJ, tokens)).toBeUndefined();
  });
});
