import { describe, expect, test } from "vitest";
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

  test("readings of a device that is not on the rail do not count", () => {
    const sampler = sampled(0, 1000);
    const stray = { atMs: 1250, powerW: 9999, device: "b" };
    sampler.accept({ kind: "read", atMs: 1250, samples: [stray], rejected: [] });
    expect(sampler.windowNow(0, 2000)?.maxPowerW).toBeLessThan(102);
  });
});
