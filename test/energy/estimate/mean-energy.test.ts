import { describe, expect, test } from "vitest";
import { sumOfJoules } from "../../../src/energy/estimate/joules.ts";
import { meanEnergy } from "../../../src/energy/estimate/mean-energy.ts";
import { calmestMs, middleEnergy } from "../../../src/energy/estimate/middle-energy.ts";
import { fitPower } from "../../../src/energy/estimate/power-fit.ts";
import { sensorRows } from "../../../src/energy/estimate/sensor-rows.ts";
import type { Sensor } from "../../../src/energy/sensor.ts";
import { energyJ, type PowerCurve } from "../../../src/engine/nvidia-smi/step-power.ts";
import { seededRandom } from "../../../src/stats/seeded-random.ts";
import { sensorReadings } from "../support/sensor-readings.ts";

const SENSOR: Sensor = { averagingMs: 1000, updateMs: 100, kind: "average" };
/** 100 W, and 300 W from 30 s to 60 s. */
const CURVE: PowerCurve = {
  beforeW: 100,
  steps: [
    { atMs: 30_000, powerW: 300 },
    { atMs: 60_000, powerW: 100 },
  ],
};
const SAMPLES = sensorReadings(
  CURVE,
  { fromMs: 0, toMs: 120_000 },
  { averagingMs: 1000, noiseW: 0.1 },
  seededRandom(1, 1),
);
const ROWS = sensorRows(SAMPLES, SENSOR);
const near = (fromMs: number, toMs: number) =>
  SAMPLES.filter(({ atMs }) => atMs > fromMs && atMs < toMs);

describe("sumOfJoules", () => {
  test("adds means, and standard deviations as of errors that are independent", () => {
    const parts = [
      { meanJ: 10, sdJ: 3 },
      { meanJ: -4, sdJ: 4 },
    ];
    expect(sumOfJoules(parts)).toEqual({ meanJ: 6, sdJ: 5 });
    expect(sumOfJoules([])).toEqual({ meanJ: 0, sdJ: 0 });
  });
});

describe("fitPower", () => {
  const fit = fitPower(sensorRows(near(25_000, 36_000), SENSOR), {
    startMs: 23_000,
    endMs: 37_000,
    binMs: 50,
    rounds: 12,
  });

  test("finds the step that a mean of a second blurs", () => {
    expect(Math.abs(fit.powerAtW(29_600) - 100)).toBeLessThan(15);
    expect(Math.abs(fit.powerAtW(30_400) - 300)).toBeLessThan(15);
  });

  test("its energies of parts add up to that of the whole", () => {
    const [first, second] = [fit.energy(28_000, 29_990), fit.energy(29_990, 33_000)];
    expect(first.meanJ + second.meanJ).toBeCloseTo(fit.energy(28_000, 33_000).meanJ, 6);
  });

  test("is less sure of a cut in the step than of one beside it", () => {
    expect(fit.energy(28_000, 30_000).sdJ).toBeGreaterThan(2 * fit.energy(26_500, 28_500).sdJ);
  });

  test("is less sure where no reading reaches", () => {
    expect(fit.energy(36_000, 37_000).sdJ).toBeGreaterThan(fit.energy(33_000, 34_000).sdJ);
  });
});

describe("middleEnergy", () => {
  test("of power that stands still is watts × seconds", () => {
    const { meanJ, sdJ } = middleEnergy(ROWS, 70_000, 100_000);
    expect(Math.abs(meanJ - 3000)).toBeLessThan(3);
    expect(sdJ).toBeLessThan(1);
  });

  test("of a whole load errs by no more than it says", () => {
    const { meanJ, sdJ } = middleEnergy(ROWS, 20_000, 80_000);
    expect(Math.abs(meanJ - energyJ(CURVE, 20_000, 80_000))).toBeLessThan(2 * sdJ);
  });

  test("says that an end in movement is unsure", () => {
    expect(middleEnergy(ROWS, 30_000, 50_000).sdJ).toBeGreaterThan(20);
  });

  test("without readings knows nothing", () => {
    expect(middleEnergy([], 0, 1000)).toEqual({ meanJ: 0, sdJ: 0 });
  });
});

describe("calmestMs", () => {
  test("moves a moment away from a step, by two seconds at most", () => {
    const calmMs = calmestMs(ROWS, 30_000);
    expect(Math.abs(calmMs - 30_000)).toBeGreaterThan(1000);
    expect(Math.abs(calmMs - 30_000)).toBeLessThanOrEqual(2000);
  });
});

describe("meanEnergy", () => {
  test.each([
    ["that is fitted as a whole", 28_000, 57_000],
    ["of which only the ends are fitted", 25_000, 70_000],
    ["that is longer than a minute", 5000, 110_000],
  ])("of a window %s is within its error of the truth", (_, startMs, endMs) => {
    const { meanJ, sdJ } = meanEnergy([{ samples: SAMPLES, sensor: SENSOR }], startMs, endMs, {
      tickMs: 275,
    });
    const trueJ = energyJ(CURVE, startMs, endMs);
    expect(Math.abs(meanJ - trueJ)).toBeLessThan(3 * sdJ);
    expect(sdJ / trueJ).toBeLessThan(0.01);
  });
});
