import { describe, expect, test } from "vitest";
import { figuresOf } from "../../bench/accuracy/figures.ts";
import { judgeLoad } from "../../bench/accuracy/judge-recorded.ts";
import { distanceMs, quietStretches } from "../../bench/accuracy/quiet-stretches.ts";
import { recordedTraces } from "../../bench/accuracy/recorded-traces.ts";
import { readWorkload, SENSORS } from "../../bench/accuracy/sensors.ts";
import { makeWorkload, SHAPES } from "../../bench/accuracy/shapes.ts";
import { windowsAroundLoads } from "../../bench/accuracy/windows.ts";
import type { Workload } from "../../bench/accuracy/workload.ts";
import { energyJ, powerAtW } from "../../src/engine/nvidia-smi/step-power.ts";
import { seededRandom } from "../../src/stats/seeded-random.ts";

/** 100 W, and 400 W from 10 s to 15 s. */
const STEP: Workload = {
  shape: "step",
  curve: {
    beforeW: 100,
    steps: [
      { atMs: 0, powerW: 100 },
      { atMs: 10_000, powerW: 400 },
      { atMs: 15_000, powerW: 100 },
    ],
  },
  endMs: 30_000,
  loads: [{ startMs: 10_000, endMs: 15_000 }],
};

const read = (name: string, periodMs = 100) =>
  readWorkload(STEP, SENSORS.find((one) => one.name === name)!, periodMs, seededRandom(1));

describe("a simulated sensor", () => {
  test("that means over a second has half of a step half a second later", () => {
    const { samples } = read("average");
    const half = samples.find(({ powerW }) => powerW >= 250)!;
    // The mean is at 250 W after 500 ms; then up to one update and one reading.
    expect(half.atMs).toBeGreaterThanOrEqual(10_500);
    expect(half.atMs).toBeLessThan(10_500 + 100 + 152);
  });

  test("that is instant has all of a step within two updates and one reading", () => {
    const full = read("instant").samples.find(({ powerW }) => powerW >= 399.9)!;
    expect(full.atMs).toBeGreaterThanOrEqual(10_100);
    expect(full.atMs).toBeLessThan(10_000 + 200 + 152);
  });

  test("that counts has counted what the curve took, but for its last two updates", () => {
    const { samples } = read("counter");
    const [first, last] = [samples[0]!, samples.at(-1)!];
    const takenJ = energyJ(STEP.curve, first.atMs, last.atMs);
    // 180 ms of 100 W at each end.
    expect(Math.abs(last.counterJ! - first.counterJ! - takenJ)).toBeLessThan(18.3);
  });

  test("says the same again where it is read faster than it is renewed", () => {
    const { samples } = read("instant", 10);
    const repeats = samples.filter(({ powerW }, i) => powerW === samples[i - 1]?.powerW);
    expect(repeats.length).toBeGreaterThan(samples.length / 3);
  });

  test("of two columns says both in the same moments", () => {
    const { samples, second } = read("average+instant");
    expect(samples.map(({ instantW }) => instantW)).toEqual(second!.map(({ powerW }) => powerW));
    expect(samples.map(({ atMs }) => atMs)).toEqual(second!.map(({ atMs }) => atMs));
  });
});

describe("a simulated workload", () => {
  test.each(SHAPES)("%s is the same for the same seed, and another for another", (shape) => {
    expect(makeWorkload(shape, 3)).toEqual(makeWorkload(shape, 3));
    expect(makeWorkload(shape, 3)).not.toEqual(makeWorkload(shape, 4));
  });

  test.each(SHAPES)(
    "%s is quiet just before each load, and works just after its start",
    (shape) => {
      const { curve, loads } = makeWorkload(shape, 3);
      expect(loads.length).toBeGreaterThan(3);
      for (const { startMs, endMs } of loads) {
        expect(powerAtW(curve, startMs - 0.01)).toBeLessThan(80);
        expect(powerAtW(curve, startMs + 0.01)).not.toBe(powerAtW(curve, startMs - 0.01));
        expect(powerAtW(curve, endMs + 0.01)).not.toBe(powerAtW(curve, endMs - 0.01));
      }
    },
  );
});

describe("quiet", () => {
  const stretches = quietStretches(STEP.curve, STEP.endMs);

  test("is where the power stands still, the load included", () => {
    expect(stretches).toEqual([{ startMs: 0, endMs: 30_000 }]);
  });

  test("is not where it moves by more than 2 % within 1.5 s", () => {
    const steps = [100, 103, 100, 103].map((powerW, i) => ({ atMs: 1000 * i, powerW }));
    const found = quietStretches({ beforeW: 100, steps }, 10_000);
    expect(found).toEqual([{ startMs: 3000, endMs: 10_000 }]);
    expect(distanceMs(found, 1200)).toBe(1800);
    expect(distanceMs(found, 4000)).toBe(0);
  });

  test("on both sides: a window reaches at most 0.3 s beyond its load", () => {
    const [window, ...others] = windowsAroundLoads(STEP, stretches, 10, seededRandom(1));
    expect(others).toEqual([]);
    expect(10_000 - window!.startMs).toBeGreaterThanOrEqual(0);
    expect(10_000 - window!.startMs).toBeLessThan(300);
    expect(window!.endMs - 15_000).toBeGreaterThanOrEqual(0);
    expect(window!.endMs - 15_000).toBeLessThan(300);
  });
});

test("figures of four windows by hand: bias, quantiles, coverage and width", () => {
  const one = (energyJ: number, halfJ: number, trueJ: number) => ({
    trueJ,
    integralJ: trueJ * 0.9,
    estimate: { energyJ, loJ: energyJ - halfJ, hiJ: energyJ + halfJ, method: "instant" as const },
  });
  const judged = [one(101, 2, 100), one(98, 1, 100), one(203, 4, 200), { trueJ: 100 }];
  const { windows, refused, integral, estimate } = figuresOf(judged);
  expect([windows, refused]).toEqual([4, 1]);
  expect(integral?.biasPct).toBeCloseTo(-10, 9);
  expect(estimate?.biasPct).toBeCloseTo((100 * 2) / 400, 9);
  expect(estimate?.p50Pct).toBeCloseTo(1.5, 9);
  expect(estimate?.p95Pct).toBeCloseTo(2, 9);
  expect(estimate?.coveragePct).toBeCloseTo(200 / 3, 9);
  expect(estimate?.medianWidthPct).toBeCloseTo(4, 9);
  expect(estimate?.widthRatio).toBeCloseTo(4 / 3.5, 9);
});

test("of the recordings one is long enough, and its pulse took what its makers' data say", () => {
  const traces = recordedTraces("test/cases/power");
  const used = traces.flatMap((trace) => ("reason" in trace ? [] : [trace]));
  expect(used.map(({ file }) => file)).toEqual(["nvidia-smi-rtx3090-driver535-step-250ms.csv"]);
  expect(traces).toHaveLength(8);
  const load = judgeLoad(used[0]!)!;
  expect(load.trueJ).toBeGreaterThan(2438);
  expect(load.trueJ).toBeLessThan(2440);
  expect(load.integralJ).toBeCloseTo(2251.27, 2);
});
