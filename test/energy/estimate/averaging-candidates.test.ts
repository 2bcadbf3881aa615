import { describe, expect, test } from "vitest";
import { averagingCandidates } from "../../../src/energy/estimate/averaging-candidates.ts";
import { meanEnergy } from "../../../src/energy/estimate/mean-energy.ts";
import type { Sensor } from "../../../src/energy/sensor.ts";
import { seededRandom } from "../../../src/stats/seeded-random.ts";
import { every } from "../samples.ts";
import { stepLoad } from "../support/load-curves.ts";
import { sensorReadings } from "../support/sensor-readings.ts";

const SENSOR: Sensor = { averagingMs: 1000, updateMs: 100, kind: "average" };

/** The candidates around a load that a sensor with some averaging time saw. */
function found(seed: number, trueMs: number, sensor: Sensor) {
  const random = seededRandom(seed, 4);
  const { curve, startMs, endMs } = stepLoad(random);
  const span = { fromMs: 0, toMs: endMs + 5000 };
  const samples = sensorReadings(curve, span, { averagingMs: trueMs }, random);
  return averagingCandidates(samples, startMs, endMs, sensor);
}

const SEEDS = Array.from({ length: 40 }, (_, seed) => seed);

describe("averagingCandidates", () => {
  test("readings that stand still: every candidate gives the same energy", () => {
    const random = seededRandom(1, 1);
    const samples = every(250, 0, 10_000, () => Number((100.5 + 0.1 * random()).toFixed(2)));
    for (const { averagingMs } of averagingCandidates(samples, 3000, 7000, SENSOR)) {
      const column = { samples, sensor: { ...SENSOR, averagingMs } };
      const { meanJ } = meanEnergy([column], 3000, 7000, { tickMs: 250 });
      expect(Math.abs(meanJ - 402.2)).toBeLessThan(0.5);
    }
  });

  test("the declared time and the one that the run saw are always among them", () => {
    for (const seed of SEEDS) {
      const times = found(seed, 1000, { ...SENSOR, otherAveragingMs: 300 });
      expect(times.map(({ averagingMs }) => averagingMs)).toEqual(
        expect.arrayContaining([1000, 300]),
      );
    }
  });

  test("shares add up to one", () => {
    for (const seed of SEEDS) {
      const sum = found(seed, 2000, SENSOR).reduce((total, { share }) => total + share, 0);
      expect(sum).toBeCloseTo(1, 9);
    }
  });

  test.each([1000, 100])("the declared time stands where it is right: %d ms", (averagingMs) => {
    const declared = { ...SENSOR, averagingMs };
    const alone = SEEDS.filter((seed) => found(seed, averagingMs, declared).length === 1);
    expect(alone.length).toBeGreaterThanOrEqual(0.9 * SEEDS.length);
  });

  test.each([
    [1000, 2000],
    [1000, 500],
    [100, 1000],
  ])("declared %d ms, truly %d ms: the true time is found beside it", (declaredMs, trueMs) => {
    const declared = { ...SENSOR, averagingMs: declaredMs };
    const right = SEEDS.filter((seed) =>
      found(seed, trueMs, declared).some(({ averagingMs }) => averagingMs === trueMs),
    );
    expect(right.length).toBeGreaterThanOrEqual(0.85 * SEEDS.length);
  });
});
