import { describe, expect, test } from "vitest";
import { readWorkload, SENSORS } from "../../bench/accuracy/sensors.ts";
import { makeWorkload, SHAPES } from "../../bench/accuracy/shapes.ts";
import { uniform } from "../../bench/accuracy/workload.ts";
import { estimate, explainedEstimate } from "../../src/energy/estimate.ts";
import type { PowerSample } from "../../src/energy/power-sample.ts";
import type { Sensor } from "../../src/energy/sensor.ts";
import { energyJ } from "../../src/engine/nvidia-smi/step-power.ts";
import { seededRandom, shuffle } from "../../src/stats/seeded-random.ts";
import { every, readings } from "./samples.ts";
import { RECORDED, RECORDED_LOAD } from "./support/recorded-step.ts";
import { sensorReadings } from "./support/sensor-readings.ts";

const AVERAGE: Sensor = { averagingMs: 1000, updateMs: 100, kind: "average" };
const INSTANT: Sensor = { averagingMs: 100, updateMs: 100, kind: "instant" };

describe("the recorded step of a real card", () => {
  const { startMs, endMs } = RECORDED_LOAD;
  const instants = RECORDED.map(({ atMs, instantW }) => ({ atMs, powerW: instantW! }));
  const PULSE_J = 2440;

  test.each([
    ["the average alone", RECORDED, AVERAGE, {}, "quiet_edges"],
    ["the instant alone", instants, INSTANT, {}, "instant"],
    ["both", RECORDED, AVERAGE, { second: { samples: instants, sensor: INSTANT } }, "quiet_edges"],
  ] as const)("%s: within 2 % of the pulse area, which the interval holds", (...one) => {
    const [, samples, sensor, options, method] = one;
    const found = estimate(samples, startMs, endMs, sensor, options)!;
    expect(Math.abs(found.energyJ / PULSE_J - 1)).toBeLessThan(0.02);
    expect(found.loJ).toBeLessThan(PULSE_J);
    expect(found.hiJ).toBeGreaterThan(PULSE_J);
    expect(found.method).toBe(method);
  });

  test("a window that ends within the load has a wider interval, as a share", () => {
    const whole = estimate(RECORDED, startMs, endMs, AVERAGE)!;
    const first = estimate(RECORDED, startMs, startMs + 1000, AVERAGE)!;
    expect((first.hiJ - first.loJ) / first.energyJ).toBeGreaterThan(
      (whole.hiJ - whole.loJ) / whole.energyJ,
    );
  });
});

describe("constant power", () => {
  const sensors = [AVERAGE, INSTANT, { ...AVERAGE, averagingMs: 25 }];

  test.each([20, 128.5, 700].flatMap((levelW) => sensors.map((sensor) => ({ levelW, ...sensor }))))(
    "of $levelW W takes watts × seconds with a narrow interval ($averagingMs ms)",
    (one) => {
      const { levelW, ...sensor } = one;
      // A sensor's last digit always moves a little.
      const samples = every(250, 0, 20_000, (atMs) => levelW + (atMs % 500 === 0 ? 0.02 : -0.02));
      for (const lengthMs of [1000, 4321, 10_000]) {
        const found = estimate(samples, 5000, 5000 + lengthMs, sensor)!;
        const trueJ = (levelW * lengthMs) / 1000;
        expect(Math.abs(found.energyJ - trueJ)).toBeLessThan(0.001 * trueJ + 0.1);
        expect(found.loJ).toBeLessThanOrEqual(trueJ);
        expect(found.hiJ).toBeGreaterThanOrEqual(trueJ);
        expect(found.hiJ - found.loJ).toBeLessThan(0.055 * trueJ + (5 * lengthMs) / 1000);
      }
    },
  );

  test("that the sensor repeats to the last digit is right too, though the interval is wider", () => {
    const samples = every(250, 0, 20_000, () => 128.5);
    const { energyJ: foundJ, loJ, hiJ } = estimate(samples, 5000, 9000, AVERAGE)!;
    expect(foundJ).toBeCloseTo(514, 0);
    expect(loJ).toBeLessThan(514);
    expect(hiJ).toBeGreaterThan(514);
    expect(hiJ - loJ).toBeLessThan(0.1 * 514);
  });

  test("of zero watts takes no energy, and none that is negative", () => {
    const samples = every(250, 0, 20_000, () => 0);
    const found = estimate(samples, 5000, 10_000, AVERAGE)!;
    expect(found.energyJ).toBeCloseTo(0, 6);
    expect(found.loJ).toBe(0);
    expect(found.hiJ).toBeLessThan(5);
  });
});

describe("refusals", () => {
  const samples = every(250, 0, 20_000, (atMs) => (atMs < 6000 ? 100 : 300));
  const reasonOf = (
    given: readonly PowerSample[],
    [startMs, endMs]: readonly [number, number],
    sensor: Sensor = AVERAGE,
  ) => {
    const found = explainedEstimate(given, startMs, endMs, sensor, { name: "GPU 3" });
    if (!("reason" in found)) return undefined;
    expect(found).toMatchObject({ refuses: expect.any(String) });
    expect(found.detail).toContain("GPU 3");
    expect(estimate(given, startMs, endMs, sensor)).toBeUndefined();
    return found.reason;
  };

  test("none for readings that reach around the window", () => {
    expect(reasonOf(samples, [5000, 10_000])).toBeUndefined();
  });

  test.each([
    ["no averaging time", { ...AVERAGE, averagingMs: 0 }],
    ["a negative averaging time", { ...AVERAGE, averagingMs: -1 }],
    ["an averaging time that is no number", { ...AVERAGE, averagingMs: Number.NaN }],
    ["an update time that is no number", { ...AVERAGE, updateMs: Number.NaN }],
    ["a negative update time", { ...AVERAGE, updateMs: -1 }],
    ["an endless averaging time", { ...AVERAGE, averagingMs: Number.POSITIVE_INFINITY }],
    ["an instant without averaging time", { ...INSTANT, averagingMs: 0 }],
  ])("rail_sensor_unknown: %s", (_, sensor) => {
    expect(reasonOf(samples, [5000, 10_000], sensor)).toBe("rail_sensor_unknown");
  });

  test.each([
    ["ends where it begins", 5000, 5000],
    ["ends before it begins", 6000, 5000],
    ["has no number for its end", 5000, Number.NaN],
    ["has no end", 5000, Number.POSITIVE_INFINITY],
  ])("window_too_short: a window that %s", (_, startMs, endMs) => {
    expect(reasonOf(samples, [startMs, endMs])).toBe("window_too_short");
  });

  test("rail_no_samples: no readings, or none that are numbers", () => {
    expect(reasonOf([], [5000, 10_000])).toBe("rail_no_samples");
    const bad = samples.map((one) => ({ ...one, powerW: Number.NaN }));
    expect(reasonOf(bad, [5000, 10_000])).toBe("rail_no_samples");
  });

  test.each([
    ["before", samples.filter(({ atMs }) => atMs > 5000)],
    ["after", samples.filter(({ atMs }) => atMs < 10_000)],
    ["an averaging time after", samples.filter(({ atMs }) => atMs < 10_900)],
  ])("rail_not_bracketed: none %s", (_, given) => {
    expect(reasonOf(given, [5000, 10_000])).toBe("rail_not_bracketed");
  });

  test("rail_gap: more than a second and three ticks without a reading, also just after", () => {
    const hole = (fromMs: number, toMs: number) =>
      samples.filter(({ atMs }) => atMs <= fromMs || atMs >= toMs);
    expect(reasonOf(hole(7000, 8250), [5000, 10_000])).toBe("rail_gap");
    expect(reasonOf(hole(9250, 10_500), [5000, 10_000])).toBe("rail_gap");
    expect(reasonOf(hole(7000, 8000), [5000, 10_000])).toBeUndefined();
    expect(reasonOf(hole(2000, 4000), [5000, 10_000])).toBeUndefined();
  });

  test("rail_gap: a source whose clock jumps ahead by more than a second in the window", () => {
    const jumped = samples.map((one) =>
      one.atMs < 7000 ? one : { ...one, atMs: one.atMs + 1500 },
    );
    expect(reasonOf(jumped, [5000, 10_000])).toBe("rail_gap");
  });

  test("rail_not_bracketed: a counter that has no counts", () => {
    const sensor: Sensor = { averagingMs: 0, updateMs: 100, kind: "counter" };
    expect(reasonOf(samples, [5000, 10_000], sensor)).toBe("rail_not_bracketed");
  });
});

const KINDS = SENSORS.filter(({ second }) => second === undefined);

/** Random windows of simulated work of all shapes. */
function forWindows(
  kind: (typeof KINDS)[number],
  check: (
    samples: readonly PowerSample[],
    startMs: number,
    draw: (low: number, high: number) => number,
  ) => void,
): void {
  for (const [i, shape] of SHAPES.entries()) {
    const workload = makeWorkload(shape, 700 + i);
    const random = seededRandom(i, 9);
    const { samples } = readWorkload(workload, kind, 250, random);
    for (let window = 0; window < 4; window++) {
      const startMs = uniform(random, 30_000, workload.endMs - 60_000);
      check(samples, startMs, (low, high) => uniform(random, low, high));
    }
  }
}

describe.each(KINDS)("$name: windows", ({ sensor, ...kind }) => {
  const of = { ...kind, sensor };

  test("that touch add up to the whole, within their intervals 19 times of 20", () => {
    const isWithin: boolean[] = [];
    forWindows(of, (samples, startMs, draw) => {
      const cutMs = startMs + draw(1000, 8000);
      const endMs = cutMs + draw(1000, 8000);
      const first = estimate(samples, startMs, cutMs, sensor)!;
      const second = estimate(samples, cutMs, endMs, sensor)!;
      const whole = estimate(samples, startMs, endMs, sensor)!;
      const widthJ = [first, second, whole].reduce((sum, { loJ, hiJ }) => sum + hiJ - loJ, 0);
      const differenceJ = first.energyJ + second.energyJ - whole.energyJ;
      isWithin.push(Math.abs(differenceJ) <= widthJ / 2);
    });
    const beyond = isWithin.filter((within) => !within);
    expect(beyond.length).toBeLessThanOrEqual(0.05 * isWithin.length);
  });

  test("that nest never take more than the outer one", () => {
    forWindows(of, (samples, startMs, draw) => {
      const endMs = startMs + draw(3000, 10_000);
      const inner = estimate(samples, startMs + draw(0, 900), endMs - draw(0, 900), sensor)!;
      const outer = estimate(samples, startMs, endMs, sensor)!;
      expect(inner.loJ).toBeLessThanOrEqual(outer.hiJ);
      expect(inner.energyJ).toBeLessThanOrEqual(outer.hiJ);
    });
  });

  test("of readings in any order are the same", () => {
    forWindows(of, (samples, startMs) => {
      const near = samples.filter(({ atMs }) => Math.abs(atMs - startMs) < 15_000);
      const shuffled = [...near];
      shuffle(shuffled, seededRandom(startMs, 3));
      expect(estimate(shuffled, startMs, startMs + 3000, sensor)).toEqual(
        estimate(near, startMs, startMs + 3000, sensor),
      );
    });
  });

  test("between readings that are no numbers are as without them", () => {
    forWindows(of, (samples, startMs) => {
      const near = samples.filter(({ atMs }) => Math.abs(atMs - startMs) < 15_000);
      const bad = near.flatMap((one) => [
        one,
        { ...one, atMs: one.atMs + 100, powerW: Number.NaN },
        { ...one, atMs: one.atMs + 110, powerW: Number.POSITIVE_INFINITY },
        { ...one, atMs: one.atMs + 120, powerW: -1 },
      ]);
      expect(estimate(bad, startMs, startMs + 3000, sensor)).toEqual(
        estimate(near, startMs, startMs + 3000, sensor),
      );
    });
  });
});

describe("a run of ten hours", () => {
  const HOURS_MS = 36_000_000;
  const steps = Array.from({ length: 2400 }, (_, i) => ({
    atMs: 15_000 * i,
    powerW: i % 2 === 0 ? 100 : 300 + (i % 7) * 20,
  }));
  const curve = { beforeW: 100, steps };
  const span = { fromMs: 0, toMs: HOURS_MS };
  const samples = sensorReadings(curve, span, { averagingMs: 1000 }, seededRandom(1, 1));

  test("as a whole is right, with an interval that is finite and small", () => {
    const [startMs, endMs] = [20_000, HOURS_MS - 20_000];
    const found = estimate(samples, startMs, endMs, AVERAGE)!;
    const trueJ = energyJ(curve, startMs, endMs);
    expect(Math.abs(found.energyJ / trueJ - 1)).toBeLessThan(5e-4);
    expect(found.loJ).toBeLessThanOrEqual(trueJ);
    expect(found.hiJ).toBeGreaterThanOrEqual(trueJ);
    // 0.72 % is what no real sensor is better than.
    expect((found.hiJ - found.loJ) / trueJ).toBeLessThan(8e-3);
  });

  test("holds a short window that is the same as from the readings around it", () => {
    for (const startMs of [1_234_567, 17_890_123, 35_900_000]) {
      const endMs = startMs + 4000;
      const near = samples.filter(({ atMs }) => atMs > startMs - 25_000 && atMs < endMs + 25_000);
      expect(estimate(samples, startMs, endMs, AVERAGE)).toEqual(
        estimate(near, startMs, endMs, AVERAGE),
      );
    }
  });

  test("of any length from half a minute on holds the truth", () => {
    const random = seededRandom(2, 2);
    let held = 0;
    for (let i = 0; i < 40; i++) {
      const startMs = uniform(random, 20_000, HOURS_MS / 2);
      const endMs = startMs + uniform(random, 30_000, 300_000);
      const near = samples.filter(({ atMs }) => atMs > startMs - 5000 && atMs < endMs + 5000);
      const { loJ, hiJ } = estimate(near, startMs, endMs, AVERAGE)!;
      const trueJ = energyJ(curve, startMs, endMs);
      if (loJ <= trueJ && trueJ <= hiJ) held++;
    }
    expect(held).toBeGreaterThanOrEqual(35);
  });
});

test.each([100, 500, 2000])(
  "with %d ms as the other averaging time the interval holds both energies",
  (otherMs) => {
    const { startMs, endMs } = RECORDED_LOAD;
    for (const [fromMs, toMs] of [
      [startMs, endMs],
      [startMs, startMs + 1000],
      [endMs - 1500, endMs],
    ] as const) {
      const both = estimate(RECORDED, fromMs, toMs, { ...AVERAGE, otherAveragingMs: otherMs })!;
      for (const averagingMs of [1000, otherMs]) {
        const alone = estimate(RECORDED, fromMs, toMs, { ...AVERAGE, averagingMs })!;
        expect(both.loJ).toBeLessThan(alone.energyJ);
        expect(both.hiJ).toBeGreaterThan(alone.energyJ);
      }
    }
  },
);

test("a device that reads with a gain takes so much more energy in its estimate", () => {
  const samples = every(250, 0, 20_000, (atMs) => (atMs > 6000 && atMs < 9000 ? 300.5 : 100.5));
  const scaled = samples.map((one) => ({ ...one, powerW: 1.05 * one.powerW }));
  const [plain, more] = [samples, scaled].map((one) => estimate(one, 5000, 11_000, AVERAGE)!);
  expect(more!.energyJ / plain!.energyJ).toBeCloseTo(1.05, 2);
});

test("readings before and after the run of a window do not matter when they are far away", () => {
  const samples = readings(
    [-1e9, 500],
    ...every(250, 0, 15_000, () => 100.5).map(pair),
    [1e9, 500],
  );
  expect(estimate(samples, 5000, 8000, AVERAGE)!.energyJ).toBeCloseTo(301.5, 0);
});

function pair({ atMs, powerW }: PowerSample): readonly [number, number] {
  return [atMs, powerW];
}
