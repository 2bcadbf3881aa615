import { describe, expect, test } from "vitest";
import { RailSampler } from "../../src/rails/sampler.ts";
import { hasStep, isConclusive, readSensors } from "../../src/rails/sensor-probe.ts";
import type { RailFacts } from "../../src/rails/source.ts";
import { seededRandom } from "../../src/stats/seeded-random.ts";
import { stepLoad } from "../energy/support/load-curves.ts";
import { type Sampling, sensorReadings } from "../energy/support/sensor-readings.ts";

const INSTANT = { averagingMs: 100, updateMs: 100, kind: "instant" } as const;

const FACTS: RailFacts = {
  source: "test",
  head: "gpu_rail",
  devices: [{ id: "a", index: 0 }],
  sensor: { averagingMs: 1000, updateMs: 100, kind: "average" },
  sensorBasis: "",
  second: { field: "power.draw.instant", sensor: INSTANT },
  periodMs: 20,
  fields: ["power.draw.average"],
  covers: "",
  excludes: "",
  warnings: [],
  silentDevices: [],
};

const LOAD = stepLoad(seededRandom(4, 9));

/** A rail that was read fast around a step of load. */
function rail(sampling: Sampling, facts: RailFacts = FACTS): RailSampler {
  const stop = () => Promise.resolve({ wallS: 1, samples: 1, rejectedLines: 0 });
  const sampler = new RailSampler(facts, { drain: () => undefined, stop });
  const span = { fromMs: 0, toMs: LOAD.endMs + 4500 };
  const fast = { periodMs: 20, jitterMs: 10, ...sampling };
  for (const one of sensorReadings(LOAD.curve, span, fast, seededRandom(5, 9))) {
    const samples = [{ ...one, device: "a" }];
    sampler.accept({ kind: "read", atMs: one.atMs, samples, rejected: [] });
  }
  return sampler;
}

describe("readSensors", () => {
  test.each([true, false])("measures both columns, load times known or not (%s)", (isKnown) => {
    const sampler = rail({ averagingMs: 1000, instantMs: 100 });
    const [device] = readSensors(sampler, 0, isKnown ? LOAD : undefined);
    const [average, instant] = device!.columns;
    expect(average).toMatchObject({ field: "power.draw.average", verdict: "agrees" });
    expect(Math.abs(average!.measured!.averagingMs - 1000)).toBeLessThanOrEqual(100);
    expect(Math.abs(average!.updateMs! - 100)).toBeLessThan(10);
    expect(instant).toMatchObject({ field: "power.draw.instant", declared: INSTANT });
    expect(instant!.measured!.hiMs).toBeLessThanOrEqual(300);
    expect(instant!.verdict).not.toBe("differs");
    expect(Math.abs(instant!.updateMs! - 100)).toBeLessThan(10);
  });

  test.each([100, 250, 500, 1500, 2000])("finds %d ms where 1000 are declared", (averagingMs) => {
    const [device] = readSensors(rail({ averagingMs, instantMs: 100 }), 0, LOAD);
    const { measured, verdict } = device!.columns[0]!;
    expect(verdict).toBe("differs");
    expect(measured!.loMs).toBeLessThanOrEqual(averagingMs);
    expect(measured!.hiMs).toBeGreaterThanOrEqual(averagingMs);
  });

  test("of one column alone finds another averaging time by its edges", () => {
    const { second: _second, ...alone } = FACTS;
    const [device] = readSensors(rail({ averagingMs: 250 }, alone), 0, LOAD);
    expect(device!.columns).toMatchObject([{ measured: { how: "edges" }, verdict: "differs" }]);
  });

  test("without a step says so and measures nothing but the update", () => {
    const [device] = readSensors(rail({ averagingMs: 1000, instantMs: 100 }), LOAD.endMs + 2500);
    expect(device!.columns.map(({ verdict }) => verdict)).toEqual(["no_step", "no_step"]);
    expect(device!.columns[0]).not.toHaveProperty("measured");
    expect(hasStep(device!)).toBe(false);
    expect(isConclusive(device!)).toBe(false);
  });
});
