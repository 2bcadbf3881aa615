import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { integrate } from "../../src/energy/integrate.ts";
import { joulesPerToken } from "../../src/energy/joules-per-token.ts";
import type { PowerSample } from "../../src/energy/power-sample.ts";
import { every, readings } from "./samples.ts";

describe("integrate", () => {
  test("holds each reading to the next, the first back to the start, the last on to the end", () => {
    // 100 W × 1.0 s + 200 W × 0.5 s + 50 W × 0.5 s
    const window = integrate(readings([250, 100], [1000, 200], [1500, 50]), 0, 2000);
    expect(window).toEqual({
      windowS: 2,
      samples: 3,
      energyJ: 225,
      meanPowerW: 112.5,
      maxPowerW: 200,
    });
  });

  test("readings outside the window do not count, those on its edges do", () => {
    const samples = readings([-1, 999], [0, 100], [1000, 300], [1001, 999]);
    expect(integrate(samples, 0, 1000)).toMatchObject({ samples: 2, energyJ: 100, maxPowerW: 300 });
  });

  test("one reading fills the window", () => {
    expect(integrate(readings([700, 40]), 0, 1000)?.energyJ).toBe(40);
  });

  test.each([
    ["no reading at all", [], 0, 1000],
    ["no reading inside", readings([-1, 100], [1001, 100]), 0, 1000],
    ["an empty window", readings([5, 100]), 5, 5],
    ["a window that ends before it starts", readings([5, 100]), 10, 0],
    ["a window without a number", readings([5, 100]), Number.NaN, 10],
    ["a window without an end", readings([5, 100]), 0, Number.POSITIVE_INFINITY],
    ["a reading that is no number", readings([5, Number.NaN]), 0, 10],
    ["readings beyond all numbers", readings([5, 1e308], [6, 1e308]), 0, 1000],
  ])("%s has no energy, not 0 J", (_why, samples, startMs, endMs) => {
    expect(integrate(samples, startMs, endMs)).toBeUndefined();
  });

  test("S70: only the window counts, not the idle time before it nor the drain behind it", () => {
    const powerW = (atMs: number): number => (atMs < 60_000 ? 120 : atMs < 160_000 ? 720 : 300);
    const samples = every(250, 0, 200_000, powerW);
    const window = integrate(samples, 60_000, 160_000)!;
    expect(window.energyJ).toBe(72_000);
    expect(joulesPerToken(window.energyJ, 72_000)).toBe(1);
    // The mean over the whole file, the known wrong answer, is 456 W.
    expect(integrate(samples, 0, 200_000)!.meanPowerW).toBeCloseTo(456, 9);
  });

  test("a flag's share counts the readings that reported it, and is absent when none did", () => {
    const samples: PowerSample[] = [
      { atMs: 0, powerW: 1, swPowerCap: true },
      { atMs: 1, powerW: 1, swPowerCap: false },
      { atMs: 2, powerW: 1 },
      { atMs: 3, powerW: 1, swPowerCap: false },
    ];
    const window = integrate(samples, 0, 10);
    expect(window?.swPowerCapFrac).toBeCloseTo(1 / 3, 12);
    expect(window).not.toHaveProperty("hwPowerBrakeFrac");
  });

  test("two readings of the same instant: the later one holds from there", () => {
    expect(integrate(readings([0, 100], [0, 10]), 0, 1000)?.energyJ).toBe(10);
  });

  test("the mean lies between the smallest and the largest reading, and energy is mean × time", () => {
    fc.assert(
      fc.property(
        series(),
        fc.nat({ max: 5000 }),
        fc.integer({ min: 1, max: 9000 }),
        (samples, startMs, lengthMs) => {
          const endMs = startMs + lengthMs;
          const inside = samples.filter(({ atMs }) => atMs >= startMs && atMs <= endMs);
          const window = integrate(samples, startMs, endMs);
          if (inside.length === 0) {
            expect(window).toBeUndefined();
            return;
          }
          const powersW = inside.map(({ powerW }) => powerW);
          const slack = 1e-9 * (1 + Math.max(...powersW));
          expect(window!.windowS).toBe(lengthMs / 1000);
          expect(window!.meanPowerW).toBeGreaterThanOrEqual(Math.min(...powersW) - slack);
          expect(window!.meanPowerW).toBeLessThanOrEqual(Math.max(...powersW) + slack);
          expect(window!.energyJ).toBeCloseTo(window!.meanPowerW * window!.windowS, 6);
        },
      ),
    );
  });

  test("cut at a reading, a window's halves add up to the whole", () => {
    fc.assert(
      fc.property(series(3), fc.nat(), (samples, pick) => {
        const cut = samples[1 + (pick % (samples.length - 2))]!.atMs;
        const endMs = samples.at(-1)!.atMs + 10;
        fc.pre(cut > 0);
        const whole = integrate(samples, 0, endMs)!;
        // The left half holds its last reading up to the cut, where the right half's first one is.
        const left = integrate(
          samples.filter(({ atMs }) => atMs < cut),
          0,
          cut,
        );
        const right = integrate(samples, cut, endMs)!;
        fc.pre(left !== undefined);
        expect(left!.energyJ + right.energyJ).toBeCloseTo(whole.energyJ, 6);
      }),
    );
  });

  test("half the watts are half the joules", () => {
    fc.assert(
      fc.property(series(), (samples) => {
        const halved = samples.map((sample) => ({ ...sample, powerW: sample.powerW / 2 }));
        const whole = integrate(samples, 0, 10_000);
        const half = integrate(halved, 0, 10_000);
        expect(half?.energyJ).toBeCloseTo((whole?.energyJ ?? Number.NaN) / 2, 6);
      }),
    );
  });
});

function series(minLength = 1): fc.Arbitrary<PowerSample[]> {
  const sample = fc.record({
    atMs: fc.integer({ min: 0, max: 10_000 }),
    powerW: fc.double({ min: 0, max: 3000, noNaN: true }),
  });
  return fc
    .uniqueArray(sample, { minLength, maxLength: 60, selector: ({ atMs }) => atMs })
    .map((samples) => samples.toSorted((a, b) => a.atMs - b.atMs));
}
