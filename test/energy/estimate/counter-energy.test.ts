import { describe, expect, test } from "vitest";
import { counterEnergy } from "../../../src/energy/estimate/counter-energy.ts";
import { explainedEstimate } from "../../../src/energy/estimate.ts";
import type { PowerSample } from "../../../src/energy/power-sample.ts";
import type { Sensor } from "../../../src/energy/sensor.ts";
import { energyJ, type PowerCurve } from "../../../src/engine/nvidia-smi/step-power.ts";
import { type Random, seededRandom } from "../../../src/stats/seeded-random.ts";
import { every } from "../samples.ts";
import { heldShare, judgedWindows } from "../support/judged-windows.ts";
import { stepLoad } from "../support/load-curves.ts";

const SENSOR: Sensor = { averagingMs: 0, updateMs: 100, kind: "counter" };

/** A counter that is renewed every 100 ms, read every 250 ms. */
function counted(curve: PowerCurve, untilMs: number, phaseMs = 0): PowerSample[] {
  return every(250, 0, untilMs, () => 0).map(({ atMs }) => {
    const renewedMs = Math.floor((atMs - phaseMs) / 100) * 100 + phaseMs;
    return { atMs, powerW: 0, counterJ: 5000 + energyJ(curve, -1000, renewedMs) };
  });
}

const STEADY: PowerCurve = { beforeW: 200, steps: [] };

/** A counter that is renewed when it will, once in each update time, and read a little late. */
function readUnevenly(
  curve: PowerCurve,
  untilMs: number,
  updateMs: number,
  periodMs: number,
  random: Random,
): PowerSample[] {
  const phaseMs = updateMs * random();
  const renewals = Array.from(
    { length: Math.ceil(untilMs / updateMs) },
    (_, i) => phaseMs + (i + 0.2 * random()) * updateMs,
  );
  return every(periodMs, updateMs * 2, untilMs, () => 0).map(({ atMs }) => {
    const readMs = atMs + 10 * random();
    const renewedMs = renewals.findLast((moment) => moment <= readMs)!;
    return { atMs: readMs + random(), powerW: 0, counterJ: energyJ(curve, -1000, renewedMs) };
  });
}

const LOADS = 200;

/** 400 W in a time, 100 W around it. */
function loadAlone(startMs: number, endMs: number): PowerCurve {
  const steps = [
    { atMs: startMs, powerW: 400 },
    { atMs: endMs, powerW: 100 },
  ];
  return { beforeW: 100, steps };
}

/** Windows in loads that begin up to some time before them, and end as much after them. */
function ofLoads(updateMs: number, periodMs: number, beyondMs: number) {
  const sensor = { ...SENSOR, updateMs };
  let [held, foundJ, trueJ] = [0, 0, 0];
  for (let seed = 0; seed < LOADS; seed++) {
    const random = seededRandom(seed, 6);
    const startMs = 5000 + 1000 * random();
    const endMs = startMs + 1000 + 9000 * random();
    const earlyMs = beyondMs * random();
    const curve = loadAlone(startMs - earlyMs, endMs + earlyMs);
    const samples = readUnevenly(curve, endMs + 5000, updateMs, periodMs, random);
    const found = explainedEstimate(samples, startMs, endMs, sensor);
    if ("reason" in found) throw new Error(found.detail);
    const loadJ = energyJ(curve, startMs, endMs);
    if (found.loJ <= loadJ && loadJ <= found.hiJ) held++;
    foundJ += found.energyJ;
    trueJ += loadJ;
  }
  return { bias: foundJ / trueJ - 1, held: held / LOADS };
}

describe("counterEnergy", () => {
  test("of steady power is watts × seconds", () => {
    const samples = counted(STEADY, 20_000);
    const { meanJ, sdJ } = counterEnergy(samples, 5100, 12_345, SENSOR)!;
    expect(Math.abs(meanJ - 1449)).toBeLessThan(2 * sdJ);
    expect(Math.abs(meanJ - 1449)).toBeLessThan(10.1);
    expect(sdJ).toBeLessThan(15);
  });

  test("of edges in the middle of steps lies within the interval", () => {
    let held = 0;
    for (let seed = 0; seed < 100; seed++) {
      const random = seededRandom(seed, 5);
      const { curve, startMs, endMs } = stepLoad(random);
      const samples = counted(curve, endMs + 5000, 100 * random());
      const found = explainedEstimate(samples, startMs, endMs, SENSOR);
      if ("reason" in found) throw new Error(found.detail);
      const trueJ = energyJ(curve, startMs, endMs);
      if (found.loJ <= trueJ && trueJ <= found.hiJ) held++;
      expect(found.method).toBe("counter");
    }
    expect(held).toBeGreaterThanOrEqual(93);
  });

  test("of random windows lies within the interval 19 times of 20", () => {
    expect(heldShare(judgedWindows({ sensor: SENSOR }))).toBeGreaterThan(0.9);
  });

  test.each([
    [20, 250],
    [20, 300],
    [100, 250],
    [100, 300],
  ])("renewed every %d ms, read every %d ms, tells of a load alone", (updateMs, periodMs) => {
    const { bias, held } = ofLoads(updateMs, periodMs, 0);
    expect(Math.abs(bias)).toBeLessThan(0.003);
    expect(held).toBeGreaterThanOrEqual(0.95);
  });

  // At 100 ms, the stamps hide some of a load that began less than about 100 ms before.
  test.each([
    [20, 0.9],
    [100, 0.75],
  ])(
    "renewed every %d ms, sees a load that is not the window's, %d of the time",
    (updateMs, share) => {
      expect(ofLoads(updateMs, 250, 300).held).toBeGreaterThanOrEqual(share);
    },
  );

  /** A counter that begins anew at a moment. */
  const reset = (atMs: number): PowerSample[] =>
    counted(STEADY, 20_000).map((one) =>
      one.atMs < atMs ? one : { ...one, counterJ: one.counterJ! - 5000 - (200 * atMs) / 1000 },
    );

  test.each([
    ["before the window", 2000],
    ["after it", 17_000],
  ])("that was reset %s is as one that was not", (_, resetMs) => {
    const plain = counterEnergy(counted(STEADY, 20_000), 8000, 12_000, SENSOR)!;
    const found = counterEnergy(reset(resetMs), 8000, 12_000, SENSOR)!;
    expect(found.meanJ).toBeCloseTo(plain.meanJ, 3);
  });

  test("that was reset in the window tells nothing", () => {
    expect(counterEnergy(reset(10_000), 8000, 12_000, SENSOR)).toBeUndefined();
    expect(explainedEstimate(reset(10_000), 8000, 12_000, SENSOR)).toMatchObject({
      reason: "rail_not_bracketed",
    });
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])("passes over a count of %d", (counterJ) => {
    const samples = counted(STEADY, 20_000);
    const broken = samples.map((one) =>
      [7750, 8000, 12_000].includes(one.atMs) ? { ...one, counterJ } : one,
    );
    const { meanJ, sdJ } = counterEnergy(broken, 8000, 12_000, SENSOR)!;
    expect(Math.abs(meanJ - 800)).toBeLessThan(2 * sdJ);
    expect(sdJ).toBeLessThan(20);
  });

  test("that stands still tells nothing", () => {
    const samples = every(250, 0, 20_000, () => 0).map((one) => ({ ...one, counterJ: 5000 }));
    expect(counterEnergy(samples, 8000, 12_000, SENSOR)).toBeUndefined();
  });

  test("that stops in the window tells nothing", () => {
    const samples = counted(STEADY, 20_000);
    const stopped = samples.map((one) =>
      one.atMs < 10_000 ? one : { ...one, counterJ: samples[40]!.counterJ! },
    );
    expect(counterEnergy(stopped, 8000, 12_000, SENSOR)).toBeUndefined();
  });

  test("whose counts are missing tells nothing", () => {
    expect(counterEnergy([], 8000, 12_000, SENSOR)).toBeUndefined();
    const bare = every(250, 0, 20_000, () => 200);
    expect(counterEnergy(bare, 8000, 12_000, SENSOR)).toBeUndefined();
  });
});
