import { describe, expect, test } from "vitest";
import { judgeAveraging } from "../../src/energy/judge-averaging.ts";
import { type DeclaredColumns, measureAveraging } from "../../src/energy/measure-averaging.ts";
import { seededRandom } from "../../src/stats/seeded-random.ts";
import { every } from "./samples.ts";
import {
  burstLoad,
  burstsLoad,
  type LoadCurve,
  lateLoad,
  rampLoad,
  stepLoad,
} from "./support/load-curves.ts";
import { sensorReadings } from "./support/sensor-readings.ts";

const PHASES = 200;

interface Case {
  readonly load: (random: () => number) => LoadCurve;
  readonly declaredMs: number;
  readonly trueMs: number;
  readonly instantMs?: number;
  /** Readings end so long after the load. */
  readonly afterMs?: number;
}

/** How often each verdict is given, over random phases, levels and lengths of a load. */
function verdicts({ load, declaredMs, trueMs, instantMs, afterMs = 1700 }: Case) {
  const counts = { agrees: 0, differs: 0, unclear: 0, none: 0 };
  for (let phase = 0; phase < PHASES; phase++) {
    const random = seededRandom(phase, 7);
    const { curve, startMs, endMs } = load(random);
    const readings = sensorReadings(
      curve,
      { fromMs: 0, toMs: endMs + afterMs },
      { averagingMs: trueMs, ...(instantMs === undefined ? {} : { instantMs }) },
      random,
    );
    const declared = columns(declaredMs, instantMs);
    const measured = measureAveraging(readings, declared, { startMs, endMs });
    counts[measured === undefined ? "none" : judgeAveraging(measured, declared.sensor, 250)]++;
  }
  return counts;
}

function columns(declaredMs: number, instantMs?: number): DeclaredColumns {
  const sensor = { averagingMs: declaredMs, updateMs: 100, kind: "average" } as const;
  if (instantMs === undefined) return { sensor };
  return { sensor, second: { averagingMs: instantMs, updateMs: 100, kind: "instant" } };
}

const LOADS = [stepLoad, burstLoad, rampLoad, burstsLoad, lateLoad].map((load) => ({ load }));

describe("measureAveraging", () => {
  test.each(
    LOADS.flatMap((one) => [25, 100, 1000].map((averagingMs) => ({ ...one, averagingMs }))),
  )("never takes $averagingMs ms for a wrong time where it is right: $load.name", (one) => {
    const { load, averagingMs } = one;
    for (const instantMs of [undefined, 25, 100]) {
      for (const afterMs of [700, 5000]) {
        const more = instantMs === undefined ? {} : { instantMs };
        const times = { declaredMs: averagingMs, trueMs: averagingMs, afterMs };
        expect(verdicts({ load, ...times, ...more }).differs).toBe(0);
      }
    }
  });

  test.each(LOADS)("with a second column bears the right one out: $load.name", (one) => {
    const found = verdicts({ ...one, declaredMs: 1000, trueMs: 1000, instantMs: 100 });
    expect(found.agrees).toBeGreaterThanOrEqual(0.95 * PHASES);
  });

  test.each(
    LOADS.flatMap((one) => [
      { ...one, declaredMs: 1000, trueMs: 100 },
      { ...one, declaredMs: 100, trueMs: 1000 },
      { ...one, declaredMs: 1000, trueMs: 2000 },
    ]),
  )("with a second column tells $declaredMs from $trueMs ms: $load.name", (one) => {
    expect(verdicts({ ...one, instantMs: 100 }).differs).toBeGreaterThanOrEqual(0.95 * PHASES);
  });

  test.each([
    [1000, 100],
    [1000, 250],
    [100, 1000],
    [1000, 2000],
  ])("from the steps of one column alone tells %d from %d ms", (declaredMs, trueMs) => {
    // A load that is shorter than two averaging times holds no level.
    const load = (random: () => number): LoadCurve => {
      const one = stepLoad(random);
      return one.endMs - one.startMs > 4000 ? one : load(random);
    };
    const found = verdicts({ load, declaredMs, trueMs, afterMs: 5000 });
    expect(found.differs).toBeGreaterThanOrEqual(0.95 * PHASES);
  });

  test("a fall as slow as a capacitor's is no sign of a longer averaging time", () => {
    for (let phase = 0; phase < PHASES; phase++) {
      const random = seededRandom(phase, 8);
      const load = { startMs: 5000 + 250 * random(), endMs: 12_000 };
      const readings = every(250, load.startMs - 4000, 17_000, (atMs) => {
        if (atMs < load.startMs) return 90;
        return 90 + 300 * Math.exp(-Math.max(0, atMs - load.endMs) / 1000) + random();
      });
      const measured = measureAveraging(readings, columns(100), load)!;
      expect(judgeAveraging(measured, columns(100).sensor, 250)).not.toBe("differs");
    }
  });

  test("without the times of the load does not say how short the averaging time can be", () => {
    const random = seededRandom(1, 7);
    const { curve, endMs } = rampLoad(random);
    const span = { fromMs: 0, toMs: endMs + 5000 };
    const readings = sensorReadings(curve, span, { averagingMs: 100 }, random);
    const measured = measureAveraging(readings, columns(100));
    expect(measured).toMatchObject({ loMs: 0, how: "edges" });
    expect(judgeAveraging(measured!, columns(100).sensor, 250)).toBe("unclear");
  });

  test.each([undefined, 100])("a load that stays where it is shows nothing (%s)", (instantMs) => {
    const random = seededRandom(1, 7);
    const sampling = { averagingMs: 1000, ...(instantMs === undefined ? {} : { instantMs }) };
    const curve = { beforeW: 300, steps: [] };
    const readings = sensorReadings(curve, { fromMs: 0, toMs: 20_000 }, sampling, random);
    expect(measureAveraging(readings, columns(1000, instantMs))).toBeUndefined();
  });

  test("no readings, or too few, show nothing", () => {
    expect(measureAveraging([], columns(1000))).toBeUndefined();
    const two = [0, 250].map((atMs) => ({ atMs, powerW: atMs, instantW: atMs }));
    expect(measureAveraging(two, columns(1000, 100))).toBeUndefined();
  });

  test("readings that stop for seconds within the step do not mislead the second column", () => {
    const random = seededRandom(3, 7);
    const { curve, startMs, endMs } = stepLoad(random);
    const sampling = { averagingMs: 1000, instantMs: 100 };
    const span = { fromMs: 0, toMs: endMs + 1700 };
    const readings = sensorReadings(curve, span, sampling, random).filter(
      ({ atMs }) => Math.abs(atMs - startMs) > 900,
    );
    const measured = measureAveraging(readings, columns(1000, 100), { startMs, endMs });
    if (measured === undefined) return;
    expect(judgeAveraging(measured, columns(1000).sensor, 250)).not.toBe("differs");
  });
});
