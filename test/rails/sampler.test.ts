import { describe, expect, test } from "vitest";
import { nowMs } from "../../src/clock.ts";
import { RailSampler } from "../../src/rails/sampler.ts";
import type { RailFacts } from "../../src/rails/source.ts";

const facts: RailFacts = {
  source: "test",
  head: "gpu_rail",
  devices: [{ id: "a", index: 0 }],
  sensor: { averagingMs: 100, updateMs: 100, kind: "instant" },
  sensorBasis: "",
  periodMs: 250,
  fields: [],
  covers: "",
  excludes: "",
  warnings: [],
  silentDevices: [],
};
const feed = {
  drain: () => undefined,
  stop: () => Promise.resolve({ wallS: 1, samples: 1, rejectedLines: 0 }),
};

/** A sampler that has read every 250 ms from `fromMs` to `toMs`. */
function sampled(
  fromMs: number,
  toMs: number,
  sampler = new RailSampler(facts, feed),
): RailSampler {
  for (let atMs = fromMs; atMs <= toMs; atMs += 250)
    sampler.accept({
      kind: "read",
      atMs,
      samples: [{ atMs, powerW: 100.5 + (atMs % 1000) / 1000, device: "a" }],
      rejected: [],
    });
  return sampler;
}

const HOUR_MS = 3_600_000;

/** A sampler that has forgotten what nobody held, and one that knows all, after a long window. */
function forgetfulAndWhole(startMs: number, endMs: number): readonly [RailSampler, RailSampler] {
  const forgetful = sampled(0, startMs);
  forgetful.hold(startMs);
  const whole = new RailSampler(facts, feed);
  whole.hold(Number.NEGATIVE_INFINITY);
  return [sampled(startMs + 250, endMs, forgetful), sampled(0, endMs, whole)];
}

describe("RailSampler", () => {
  test("a window waits for the settle time behind its end, and not longer", async () => {
    const sampler = sampled(0, 5000);
    expect(sampler.settleMs).toBe(700);
    let isDone = false;
    const waiting = sampler.window(1000, 5000).finally(() => {
      isDone = true;
    });
    sampled(5250, 5500, sampler);
    await new Promise(setImmediate);
    expect(isDone).toBe(false);
    sampled(5750, 5750, sampler);
    expect(await waiting).toMatchObject({ state: "measured", reasons: [] });
  });

  test("readings are forgotten after an hour, and a window that needs them is refused", async () => {
    const sampler = sampled(0, 3 * HOUR_MS);
    const window = await sampler.window(60_000, 120_000);
    expect(window).toMatchObject({ state: "refused", reasons: [{ reason: "rail_gap" }] });
    expect(window.reasons[0]!.detail).toContain("hold()");
    expect((await sampler.window(2.5 * HOUR_MS, 2.6 * HOUR_MS)).state).toBe("measured");
  });

  test("a window says the same to the bit whether readings before it were forgotten or not", () => {
    // Readings are forgotten in chunks of 4,096: one of them begins 5 s before this window.
    const [startMs, endMs] = [7 * 4096 * 250 + 5000, 3.5 * HOUR_MS];
    const [forgetful, whole] = forgetfulAndWhole(startMs, endMs + 20_000);
    const window = forgetful.judge(startMs, endMs);
    expect(window).toMatchObject({ state: "measured", reasons: [] });
    expect(window).toEqual(whole.judge(startMs, endMs));
    // The readings around it are held with it.
    expect(forgetful.judge(startMs - 8000, endMs)).toMatchObject({ state: "measured" });
    expect(forgetful.judge(0, HOUR_MS)).toMatchObject({ state: "refused" });
  });

  test("readings that are held are kept as long as they are held", async () => {
    const sampler = sampled(0, 10_000);
    const release = sampler.hold(10_000);
    sampled(10_250, 5 * HOUR_MS, sampler);
    expect((await sampler.window(10_000, 4.9 * HOUR_MS)).state).toBe("measured");
    release();
    sampled(5 * HOUR_MS + 250, 8 * HOUR_MS, sampler);
    expect((await sampler.window(10_000, 20_000)).state).toBe("refused");
  });

  test("a device that stalled and came back is whole again", async () => {
    const sampler = sampled(0, 5000);
    sampler.accept({ kind: "stalled", atMs: 5800, device: "a", why: "silence" });
    expect((await sampler.window(2000, 9000)).reasons[0]).toMatchObject({
      reason: "rail_stalled",
      detail: expect.stringContaining("silence"),
    });
    sampled(9000, 15_000, sampler);
    expect((await sampler.window(9500, 12_000)).state).toBe("measured");
  });

  test("readings of a sensor that averages reach as far as it lags, whatever is asked for", () => {
    const average = {
      ...facts,
      sensor: { averagingMs: 1000, updateMs: 100, kind: "average" },
    } as const;
    expect(new RailSampler(average, feed, 0).reachMs).toBe(1600);
    expect(new RailSampler(average, feed, 2000).reachMs).toBe(2000);
    expect(new RailSampler(facts, feed, 0).reachMs).toBe(0);
  });

  test("quiet is when every device's power stands still, and is waited for", async () => {
    const devices = [{ id: "a" }, { id: "b" }];
    const sampler = new RailSampler({ ...facts, devices }, feed);
    const startMs = nowMs();
    const read = (i: number, a: number, b: number): void => {
      const atMs = startMs + 250 * i;
      const samples = Object.entries({ a, b }).map(([device, powerW]) => ({
        atMs,
        powerW,
        device,
      }));
      sampler.accept({ kind: "read", atMs, samples, rejected: [] });
    };
    for (let i = 0; i < 4; i++) read(i, 100, 300 - 50 * i);
    let isDone = false;
    const waiting = sampler.quiet(60_000).finally(() => {
      isDone = true;
    });
    read(4, 100, 150);
    await new Promise(setImmediate);
    expect(isDone).toBe(false);
    read(5, 100, 150);
    expect(await waiting).toBe(true);
  });

  test("quiet that does not come is waited for no longer than was said, nor on a rail that ended", async () => {
    const moving = (sampler: RailSampler, count: number): void => {
      const startMs = nowMs();
      for (let i = 0; i < count; i++) {
        const atMs = startMs + 250 * i;
        const samples = [{ atMs, powerW: 100 + 50 * i, device: "a" }];
        sampler.accept({ kind: "read", atMs, samples, rejected: [] });
      }
    };
    const late = new RailSampler(facts, feed);
    const waiting = late.quiet(4000);
    moving(late, 30);
    expect(await waiting).toBe(false);
    const ended = new RailSampler(facts, feed);
    const ending = ended.quiet(60_000);
    ended.accept({ kind: "ended", atMs: 0, why: "gone" });
    expect(await ending).toBe(false);
  });

  test.each([
    [{ averagingMs: 1000, periodMs: 250 }, 2000],
    [{ averagingMs: 3000, periodMs: 250 }, 6000],
    [{ averagingMs: 1000, periodMs: 1000 }, 8000],
    [{ averagingMs: 1000, periodMs: 60_000 }, 20_000],
  ])("an idle baseline of %j takes %i ms", async ({ averagingMs, periodMs }, durationMs) => {
    const sensor = { averagingMs, updateMs: 100, kind: "average" } as const;
    const sampler = new RailSampler({ ...facts, sensor, periodMs }, feed);
    const taking = sampler.idleBaseline();
    sampler.accept({ kind: "ended", atMs: 0, why: "gone" });
    const { startMs, endMs } = await taking;
    expect(endMs - startMs).toBeCloseTo(durationMs, 6);
  });

  test("a calibrated card's readings are multiplied with its gain, and its neighbour's are not", () => {
    const devices = [{ id: "a", gain: 1.1 }, { id: "b" }];
    const sampler = new RailSampler({ ...facts, devices }, feed);
    for (let atMs = 0; atMs <= 3000; atMs += 250) {
      const samples = ["a", "b"].map((device) => ({ atMs, powerW: 100, instantW: 50, device }));
      sampler.accept({ kind: "read", atMs, samples, rejected: [] });
    }
    expect(sampler.latest().map(({ powerW }) => powerW)).toEqual([100 * 1.1, 100]);
    expect(sampler.latest().map(({ instantW }) => instantW)).toEqual([50 * 1.1, 50]);
    expect(sampler.judge(1000, 2000)).toMatchObject({
      byDevice: { a: { energyJ: expect.closeTo(110, 9) }, b: { energyJ: 100 } },
    });
  });

  test("readings of a device that is not on the rail do not count", () => {
    const sampler = sampled(0, 1000);
    const stray = { atMs: 1250, powerW: 9999, device: "b" };
    sampler.accept({ kind: "read", atMs: 1250, samples: [stray], rejected: [] });
    expect(sampler.windowNow(0, 2000)?.maxPowerW).toBeLessThan(102);
  });
});
