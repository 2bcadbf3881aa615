import { describe, expect, test } from "vitest";
import { judgeIdle } from "../../src/energy/judge-idle.ts";
import { judgeSeries, medianTickMs, type SeriesFacts } from "../../src/energy/judge-series.ts";
import { type Sensor, settleMs } from "../../src/energy/sensor.ts";
import { every, readings } from "./samples.ts";

const average: Sensor = { averagingMs: 1000, updateMs: 100, kind: "average" };
const facts: SeriesFacts = { name: "GPU 0", periodMs: 250, sensor: average, isWorking: true };

/** Readings every 260 ms whose last digits move. */
const good = every(260, 0, 30_000, (atMs) => 300 + ((atMs * 7) % 13) / 10);

const reasonsOf = (...args: Parameters<typeof judgeSeries>): string[] =>
  judgeSeries(...args).map(({ reason }) => reason);

describe("judgeSeries", () => {
  test("readings that reach around the window refuse nothing", () => {
    expect(judgeSeries(good, 5000, 20_000, facts)).toEqual([]);
  });

  test("no reading inside is refused", () => {
    expect(reasonsOf(readings([0, 1], [9000, 1]), 3000, 6000, facts)).toContain("rail_no_samples");
    expect(reasonsOf([], 3000, 6000, facts)).toContain("rail_no_samples");
  });

  test("a hole of more than a second and three ticks is refused, a smaller one is not", () => {
    const without = (fromMs: number, toMs: number) =>
      good.filter(({ atMs }) => atMs < fromMs || atMs > toMs);
    expect(reasonsOf(without(8000, 9500), 5000, 20_000, facts)).toEqual(["rail_gap"]);
    expect(reasonsOf(without(8000, 8500), 5000, 20_000, facts)).toEqual([]);
  });

  test("a hole at an edge counts as far as it lies inside the window", () => {
    const late = good.filter(({ atMs }) => atMs > 6500);
    expect(reasonsOf(late, 5000, 20_000, facts)).toEqual(["rail_gap"]);
    expect(reasonsOf(late, 6300, 20_000, facts)).toEqual(["rail_not_bracketed"]);
  });

  test("three slow ticks are no hole: the source's own pace counts", () => {
    const slow = every(2000, 0, 60_000, (atMs) => 300.5 + (atMs % 7));
    expect(reasonsOf(slow, 10_000, 50_000, { ...facts, periodMs: 2000 })).toEqual([]);
  });

  test("a stall refuses the window that needs readings from after it, not the one before", () => {
    const stalled = { ...facts, stalled: "nvidia-smi ended by itself" };
    expect(reasonsOf(good, 25_000, 31_000, stalled)).toContain("rail_stalled");
    // The readings end at 29,900 ms: enough for the integral, too early for the lag.
    expect(reasonsOf(good, 20_000, 29_500, stalled)).toEqual(["rail_not_bracketed"]);
    expect(reasonsOf(good, 5000, 20_000, stalled)).toEqual([]);
  });

  test("a lagging sensor must be read a settle time past the end, a quick one need not", () => {
    const quick: Sensor = { averagingMs: 100, updateMs: 100, kind: "instant" };
    expect(settleMs(average, 250)).toBe(1600);
    expect(reasonsOf(good, 5000, 29_000, facts)).toEqual(["rail_not_bracketed"]);
    expect(reasonsOf(good, 5000, 29_000, { ...facts, sensor: quick })).toEqual([]);
  });

  test("a reading that stands still for over 10 s under work is a stuck sensor", () => {
    const frozen = every(260, 0, 30_000, () => 46.19);
    expect(reasonsOf(frozen, 5000, 20_000, facts)).toEqual(["rail_frozen"]);
    expect(reasonsOf(frozen, 5000, 14_000, facts)).toEqual([]);
    expect(reasonsOf(frozen, 5000, 20_000, { ...facts, isWorking: false })).toEqual([]);
  });

  test("a source that only knows whole watts may stand still", () => {
    const whole = every(260, 0, 30_000, () => 46);
    expect(reasonsOf(whole, 5000, 20_000, facts)).toEqual([]);
    // It has shown digits before: then it stands still for another reason.
    expect(reasonsOf([{ atMs: -100, powerW: 45.5 }, ...whole], 5000, 20_000, facts)).toEqual([
      "rail_frozen",
    ]);
  });

  test("a window of less than two ticks is too short", () => {
    expect(reasonsOf(good, 5000, 5400, facts)).toContain("window_too_short");
    expect(reasonsOf(good, 5000, 5600, facts)).toEqual([]);
  });

  test("every refusal names the device and what was seen", () => {
    for (const { detail } of judgeSeries([], 0, 100, facts)) expect(detail).toMatch(/GPU 0: .*\w/);
  });

  test("the usual interval is the middle one", () => {
    expect(medianTickMs(readings([0, 1], [250, 1], [500, 1], [9000, 1]))).toBe(250);
    expect(medianTickMs(readings([0, 1]))).toBeUndefined();
  });
});

describe("judgeIdle", () => {
  test("a quiet baseline passes, one that steps down its clocks does not", () => {
    expect(judgeIdle(readings([0, 56.38], [1, 60.82], [2, 58.7]), "GPU 0")).toBeUndefined();
    expect(judgeIdle(readings([0, 150], [1, 150.2], [2, 129]), "GPU 0")?.reason).toBe(
      "idle_not_quiet",
    );
    expect(judgeIdle([], "GPU 0")).toBeUndefined();
  });

  test("a flood of readings is judged like a few", () => {
    const many = every(0.01, 0, 3000, (atMs) => 100 + (atMs % 2));
    expect(many.length).toBeGreaterThan(200_000);
    expect(judgeIdle(many, "GPU 0")).toBeUndefined();
  });
});
