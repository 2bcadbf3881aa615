import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PowerSample } from "../../src/energy/power-sample.ts";
import { ReadingStore } from "../../src/rails/reading-store.ts";

describe("ReadingStore", () => {
  test("gives back what it was given: what was absent stays absent", () => {
    const store = new ReadingStore("GPU-a");
    const samples: PowerSample[] = [
      { atMs: 1, powerW: 0, device: "GPU-a" },
      { atMs: 2, powerW: 1.25, swPowerCap: false, device: "GPU-a" },
      { atMs: 3, powerW: 2.5, swPowerCap: true, hwPowerBrake: false, instantW: 3, device: "GPU-a" },
      { atMs: 4, powerW: 2.5, hwPowerBrake: true, instantW: 0, device: "GPU-a" },
    ];
    for (const sample of samples) store.add(sample);
    expect(store.around(0, 10, 5)).toEqual(samples);
    expect(store.lastAtMs).toBe(4);
  });

  test("gives a window and so many readings around it", () => {
    const store = new ReadingStore("a");
    for (let atMs = 0; atMs < 20; atMs++) store.add({ atMs, powerW: 1 });
    expect(store.around(10, 12, 2).map(({ atMs }) => atMs)).toEqual([8, 9, 10, 11, 12, 13, 14]);
    expect(store.around(30, 40, 2).map(({ atMs }) => atMs)).toEqual([18, 19]);
    expect(store.around(-9, -1, 3).map(({ atMs }) => atMs)).toEqual([0, 1, 2]);
  });

  test("across its chunks, a window is what a plain array would give", () => {
    const store = new ReadingStore("a");
    for (let atMs = 0; atMs < 10_000; atMs++) store.add({ atMs, powerW: 1 });
    const range = fc.tuple(fc.nat({ max: 10_500 }), fc.nat({ max: 9000 }), fc.nat({ max: 70 }));
    fc.assert(
      fc.property(range, ([startMs, lengthMs, margin]) => {
        const endMs = startMs + lengthMs;
        const times = store.around(startMs, endMs, margin).map(({ atMs }) => atMs);
        const first = Math.max(0, Math.min(startMs, 10_000) - margin);
        const last = Math.min(9999, endMs + margin);
        expect(times).toEqual(
          Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i),
        );
      }),
      { numRuns: 30 },
    );
  });

  test("forgets old readings in whole chunks, and says up to when", () => {
    const store = new ReadingStore("a");
    for (let atMs = 0; atMs < 10_000; atMs++) store.add({ atMs, powerW: 1 });
    expect(store.droppedUntilMs).toBe(Number.NEGATIVE_INFINITY);
    store.dropBefore(5000);
    expect(store.droppedUntilMs).toBe(4095);
    expect(store.around(0, 20_000, 0)[0]?.atMs).toBe(4096);
    store.dropBefore(1e9);
    expect(store.lastAtMs).toBe(9999);
  });
});
