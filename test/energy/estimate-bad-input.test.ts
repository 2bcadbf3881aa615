import { describe, expect, test } from "vitest";
import { figuresOf, leastCoveragePct } from "../../bench/accuracy/figures.ts";
import type { PowerSample } from "../../src/energy/power-sample.ts";
import type { Sensor } from "../../src/energy/sensor.ts";
import { heldShare, judgedWindows, type Mangle, type Trial } from "./support/judged-windows.ts";

const AVERAGE: Sensor = { averagingMs: 1000, updateMs: 100, kind: "average" };
const INSTANT: Sensor = { averagingMs: 100, updateMs: 100, kind: "instant" };

const whole = (samples: readonly PowerSample[]): readonly PowerSample[] =>
  samples.map((one) => ({ ...one, powerW: Math.round(one.powerW) }));

/** As cards do: renewed once a second below some power. */
function slowAtRest(samples: readonly PowerSample[]): readonly PowerSample[] {
  let shown = samples[0]!;
  return samples.map((one) => {
    if (one.powerW > 160 || one.atMs - shown.atMs >= 1000) shown = one;
    return { ...one, powerW: shown.powerW };
  });
}

const someLost =
  (share: number): Mangle =>
  (samples, random) =>
    samples.filter(() => random() >= share);

const someNoNumbers: Mangle = (samples, random) =>
  samples.map((one) => {
    if (random() >= 0.1) return one;
    const bad = [Number.NaN, -5, Number.POSITIVE_INFINITY][Math.floor(random() * 3)]!;
    return { ...one, powerW: bad };
  });

describe("the interval holds the truth 19 times of 20 where", () => {
  const trials: readonly (readonly [string, Trial])[] = [
    ["1 reading of 10 is lost", { sensor: AVERAGE, mangle: someLost(0.1) }],
    ["3 readings of 10 are lost", { sensor: AVERAGE, mangle: someLost(0.3) }],
    ["3 readings of 10 of an instant are lost", { sensor: INSTANT, mangle: someLost(0.3) }],
    ["1 reading of 10 is no number", { sensor: AVERAGE, mangle: someNoNumbers }],
    ["the source says whole watts", { sensor: AVERAGE, mangle: whole }],
    ["the sensor is renewed once a second at rest", { sensor: AVERAGE, mangle: slowAtRest }],
    ["readings come twice a second", { sensor: AVERAGE, periodMs: 500 }],
    ["readings come five times as fast as the sensor", { sensor: AVERAGE, periodMs: 20, seeds: 1 }],
  ];

  test.each(trials)("%s", (_, trial) => {
    const { n, coveragePct } = figuresOf(judgedWindows(trial)).estimate!;
    expect(coveragePct).toBeGreaterThanOrEqual(leastCoveragePct(n));
  });

  // Whole watts that stand still look the same however often they are renewed: 81 % of 176 windows.
  test("a sensor of whole watts that is renewed once a second at rest is right 3 times of 4", () => {
    const mangle = (samples: readonly PowerSample[]) => whole(slowAtRest(samples));
    const { coveragePct } = figuresOf(judgedWindows({ sensor: AVERAGE, mangle })).estimate!;
    expect(coveragePct).toBeGreaterThanOrEqual(75);
  });

  test("every reading came twice: nothing changes", () => {
    const once = judgedWindows({ sensor: AVERAGE, seeds: 1 });
    const twice = judgedWindows({
      sensor: AVERAGE,
      seeds: 1,
      mangle: (samples) => samples.flatMap((one) => [one, one]),
    });
    expect(twice.map(({ estimate }) => estimate)).toEqual(once.map(({ estimate }) => estimate));
  });

  test("whole watts cost little", () => {
    const { p95Pct } = figuresOf(judgedWindows({ sensor: AVERAGE, mangle: whole })).estimate!;
    expect(p95Pct).toBeLessThan(5);
  });
});

describe("a wrong averaging time", () => {
  const sensorOf = (averagingMs: number): Sensor => ({ ...AVERAGE, averagingMs });

  // Measured over 220 windows: 96, 90, 87, 95 and 95 %. Nobody can tell from the readings alone
  // that a short load was seen by a slower sensor.
  test.each([
    [1000, 500, "average", 0.9],
    [1000, 100, "average", 0.84],
    [1000, 2000, "average", 0.8],
    [100, 1000, "average", 0.88],
    [100, 1000, "instant", 0.88],
  ] as const)(
    "declared %d ms, truly %d ms: %s still holds the truth in a share of %d",
    (...one) => {
      const [declaredMs, trueMs, kind, share] = one;
      const declared = { ...sensorOf(declaredMs), kind };
      expect(heldShare(judgedWindows({ sensor: sensorOf(trueMs), declared }))).toBeGreaterThan(
        share,
      );
    },
  );

  test.each([
    [1000, 100],
    [1000, 2000],
  ])(
    "declared %d ms, truly %d ms, and the run saw it: the interval holds",
    (declaredMs, trueMs) => {
      const declared = { ...sensorOf(declaredMs), otherAveragingMs: trueMs };
      const judged = judgedWindows({ sensor: sensorOf(trueMs), declared });
      const { n, coveragePct } = figuresOf(judged).estimate!;
      expect(coveragePct).toBeGreaterThanOrEqual(leastCoveragePct(n));
    },
  );
});

describe("a second column", () => {
  const alone = judgedWindows({ sensor: AVERAGE });
  const beside = (mangleSecond?: Mangle) =>
    judgedWindows({ sensor: AVERAGE, second: INSTANT, ...(mangleSecond && { mangleSecond }) });
  const at =
    (powerW: (samples: readonly PowerSample[], i: number) => number): Mangle =>
    (samples) =>
      samples.map((one, i) => ({ ...one, powerW: powerW(samples, i) }));

  test("that is right makes 19 of 20 errors smaller and the interval narrower", () => {
    const [one, two] = [figuresOf(alone).estimate!, figuresOf(beside()).estimate!];
    expect(two.p95Pct).toBeLessThan(one.p95Pct);
    expect(two.medianWidthPct).toBeLessThan(one.medianWidthPct);
    expect(two.coveragePct).toBeGreaterThanOrEqual(leastCoveragePct(two.n));
  });

  test.each([
    ["is of another device", at((samples, i) => samples[(7 * i + 13) % samples.length]!.powerW)],
    ["is constant", at(() => 250)],
    ["is zero", at(() => 0)],
    ["is 20 % too high", at((samples, i) => 1.2 * samples[i]!.powerW)],
    ["is 20 % too low", at((samples, i) => 0.8 * samples[i]!.powerW)],
    ["is late by 5 s", at((samples, i) => samples[Math.max(0, i - 20)]!.powerW)],
  ])("that %s never moves the estimate out of what the main one allows", (_, mangle) => {
    const judged = beside(mangle);
    for (const [i, { estimate }] of judged.entries()) {
      const main = alone[i]!.estimate!;
      const slackJ = 1e-6 * main.energyJ;
      expect(estimate!.energyJ).toBeGreaterThanOrEqual(main.loJ - slackJ);
      expect(estimate!.energyJ).toBeLessThanOrEqual(main.hiJ + slackJ);
    }
    const { n, coveragePct } = figuresOf(judged).estimate!;
    expect(coveragePct).toBeGreaterThanOrEqual(leastCoveragePct(n));
  });

  test("that is empty or has one reading changes nothing", () => {
    const energies = alone.map(({ estimate }) => estimate);
    const none = beside(() => []);
    expect(none.map(({ estimate }) => estimate)).toEqual(energies);
    const one = beside((samples) => samples.slice(0, 1));
    expect(one.map(({ estimate }) => estimate)).toEqual(energies);
  });
});
