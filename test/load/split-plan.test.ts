import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { constantArrivals, poissonArrivals } from "../../src/load/arrivals.ts";
import { checkPlan, type LoadPlan } from "../../src/load/load-plan.ts";
import { splitPlan } from "../../src/load/split-plan.ts";
import { WorkShare } from "../../src/load/work-share.ts";

describe("splitPlan", () => {
  test("the slots of all threads add up to the concurrency, and none has two more than another", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.integer({ min: 1, max: 40 }),
        (concurrency, threads) => {
          const loops = splitPlan({ kind: "closed", concurrency, requests: 1 }, threads, 0);
          const slots = loops.map((loop) => (loop?.kind === "closed" ? loop.slots : 0));
          expect(slots.reduce((sum, n) => sum + n, 0)).toBe(concurrency);
          expect(Math.max(...slots) - Math.min(...slots)).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  test("each request of an open loop is one thread's, at the time it was due", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 9 }),
        (count, threads) => {
          const dueMs = constantArrivals(7, count);
          const seen = new Map<number, number>();
          for (const loop of splitPlan({ kind: "open", dueMs }, threads, 0)) {
            if (loop?.kind !== "open") continue;
            for (const [i, index] of loop.indexes.entries()) {
              expect(seen.has(index)).toBe(false);
              seen.set(index, loop.dueMs[i]!);
            }
          }
          expect(seen.size).toBe(count);
          for (const [index, atMs] of seen) expect(atMs).toBe(dueMs[index]);
        },
      ),
    );
  });

  test("a duration ends at the same time for every thread", () => {
    const loops = splitPlan({ kind: "closed", concurrency: 4, durationMs: 500 }, 2, 1000);
    expect(loops).toEqual([
      { kind: "closed", slots: 2, untilMs: 1500 },
      { kind: "closed", slots: 2, untilMs: 1500 },
    ]);
  });
});

describe("WorkShare", () => {
  test("gives each number once, to whoever asks, and none after the stop", () => {
    const one = new WorkShare(5);
    const other = new WorkShare(5, one.memory);
    expect([one.take(), other.take(), one.take()]).toEqual([0, 1, 2]);
    expect(other.taken).toBe(3);
    one.stop();
    expect(other.take()).toBeUndefined();
    const few = new WorkShare(1);
    expect([few.take(), few.take(), few.take()]).toEqual([0, undefined, undefined]);
    expect(few.taken).toBe(1);
  });
});

describe("arrivals", () => {
  test("constant means constant: every gap is the same", () => {
    const dueMs = constantArrivals(200, 1000);
    expect(dueMs[0]).toBe(0);
    expect(dueMs[999]).toBe(4995);
    expect(Math.max(...gaps(dueMs))).toBeCloseTo(5, 9);
    expect(Math.min(...gaps(dueMs))).toBeCloseTo(5, 9);
  });

  test("Poisson means Poisson: the gaps have the mean of the rate, and vary as much as they last", () => {
    const all = gaps(poissonArrivals(100, 50_000, 1));
    const mean = all.reduce((sum, gap) => sum + gap, 0) / all.length;
    const variance = all.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / all.length;
    expect(mean).toBeGreaterThan(9.8);
    expect(mean).toBeLessThan(10.2);
    expect(Math.sqrt(variance) / mean).toBeGreaterThan(0.97);
    expect(Math.sqrt(variance) / mean).toBeLessThan(1.03);
    expect(poissonArrivals(100, 50, 7)).toEqual(poissonArrivals(100, 50, 7));
    expect(poissonArrivals(100, 50, 7)).not.toEqual(poissonArrivals(100, 50, 8));
  });
});

describe("checkPlan", () => {
  test.each<LoadPlan>([
    { kind: "closed", concurrency: 0, requests: 1 },
    { kind: "closed", concurrency: 1.5, requests: 1 },
    { kind: "closed", concurrency: Number.NaN, requests: 1 },
    { kind: "closed", concurrency: 1 },
    { kind: "closed", concurrency: 1, requests: 0 },
    { kind: "closed", concurrency: 1, durationMs: -1 },
    { kind: "closed", concurrency: 1, durationMs: Number.POSITIVE_INFINITY },
    { kind: "open", dueMs: [] },
    { kind: "open", dueMs: [0, 2, 1] },
    { kind: "open", dueMs: [0, Number.NaN] },
    { kind: "open", dueMs: [-1] },
  ])("%j is refused with what would be right", (plan) => {
    expect(() => checkPlan(plan)).toThrow(/cannot be run: give/);
  });
});

function gaps(dueMs: Float64Array): number[] {
  return Array.from(dueMs.subarray(1), (atMs, i) => atMs - dueMs[i]!);
}
