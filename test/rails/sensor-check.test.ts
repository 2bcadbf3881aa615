import { describe, expect, test } from "vitest";
import { RailSampler } from "../../src/rails/sampler.ts";
import { SensorWatch, sensorCheckLine } from "../../src/rails/sensor-check.ts";
import type { RailFacts } from "../../src/rails/source.ts";
import { seededRandom } from "../../src/stats/seeded-random.ts";
import { type LoadCurve, stepLoad } from "../energy/support/load-curves.ts";
import { sensorReadings } from "../energy/support/sensor-readings.ts";

const FACTS: RailFacts = {
  source: "test",
  head: "gpu_rail",
  devices: [
    { id: "a", index: 0, name: "NVIDIA X" },
    { id: "b", index: 1 },
  ],
  sensor: { averagingMs: 1000, updateMs: 100, kind: "average" },
  sensorBasis: "",
  second: {
    field: "power.draw.instant",
    sensor: { averagingMs: 100, updateMs: 100, kind: "instant" },
  },
  periodMs: 250,
  fields: [],
  covers: "",
  excludes: "",
  warnings: [],
  silentDevices: [],
};

/** A rail of two devices that averaged over so long, and a load on both. */
function rail(averagingMs: Readonly<Record<"a" | "b", number>>, facts = FACTS) {
  const stop = () => Promise.resolve({ wallS: 1, samples: 1, rejectedLines: 0 });
  const sampler = new RailSampler(facts, { drain: () => undefined, stop });
  const load: LoadCurve = stepLoad(seededRandom(1, 9));
  for (const device of ["a", "b"] as const) {
    const sampling = { averagingMs: averagingMs[device], instantMs: 100 };
    const span = { fromMs: 0, toMs: load.endMs + 1700 };
    for (const one of sensorReadings(load.curve, span, sampling, seededRandom(2, 9))) {
      const samples = [{ ...one, device }];
      sampler.accept({ kind: "read", atMs: one.atMs, samples, rejected: [] });
    }
  }
  return { sampler, load };
}

describe("SensorWatch", () => {
  test("looks at each device until a step was clear, and no more then", () => {
    const { sampler, load } = rail({ a: 1000, b: 100 });
    const watch = new SensorWatch();
    const early = { startMs: -90_000, endMs: -80_000 };
    expect(watch.look(rail({ a: 1000, b: 100 }).sampler, early)).toEqual([]);
    expect(watch.look(sampler, load)).toMatchObject([
      { device: "a", declaredMs: 1000, how: "second_column", verdict: "agrees" },
      { device: "b", declaredMs: 1000, how: "second_column", verdict: "differs" },
    ]);
    expect(watch.look(sampler, load)).toEqual([]);
  });

  test("a sensor that is no plain mean is not held against one", () => {
    const { sampler, load } = rail({ a: 100, b: 100 }, { ...FACTS, unmodelled: "it creeps" });
    expect(new SensorWatch().look(sampler, load)).toEqual([]);
  });

  test("says both averaging times, and what another one does", () => {
    const { sampler, load } = rail({ a: 100, b: 1000 });
    const [differs, agrees] = new SensorWatch().look(sampler, load);
    expect(sensorCheckLine(differs!, FACTS)).toMatchObject({ level: "warn" });
    expect(sensorCheckLine(differs!, FACTS).text).toMatch(
      /^GPU 0 \(NVIDIA X\): .* about 100 ms \(\d+ to \d+ ms\), but 1\.0 s is declared .* cover both/,
    );
    const { level, text } = sensorCheckLine(agrees!, FACTS);
    expect(level).toBe("info");
    expect(text).toMatch(/^GPU 1: .* an averaging time of \d+ to \d+ ms: 1\.0 s, as declared$/);
  });
});

describe("RailSampler.noteAveraging", () => {
  test("keeps the averaging time that is furthest from the declared one", () => {
    const { sampler } = rail({ a: 1000, b: 1000 });
    expect(sampler.facts.sensor).not.toHaveProperty("otherAveragingMs");
    for (const ms of [500, 100, 800]) sampler.noteAveraging(ms);
    expect(sampler.facts.sensor).toEqual({ ...FACTS.sensor, otherAveragingMs: 100 });
    expect(sampler.settleMs).toBe(1600);
  });

  test("a longer one is waited for too, unless the wait was given", () => {
    const { sampler } = rail({ a: 1000, b: 1000 });
    sampler.noteAveraging(2000);
    expect(sampler.settleMs).toBe(2600);
    const stop = () => Promise.resolve({ wallS: 1, samples: 1, rejectedLines: 0 });
    const given = new RailSampler(FACTS, { drain: () => undefined, stop }, 300);
    given.noteAveraging(2000);
    expect(given.settleMs).toBe(300);
  });
});
