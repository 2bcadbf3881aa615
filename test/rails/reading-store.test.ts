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
      { atMs: 5, powerW: 2.5, counterJ: 0, device: "GPU-a" },
    ];
    for (const sample of samples) store.add(sample);
    expect(store.around(0, 10, 5)).toEqual(samples);
    expect(store.lastAtMs).toBe(5);
    expect(store.last).toEqual(samples[4]);
    expect(new ReadingStore("GPU-a").last).toBeUndefined();
  });

  test.each([20, 250])(
    "gives a window and the same time around it at a period of %i ms",
    (step) => {
      const store = new ReadingStore("a");
      for (let atMs = 0; atMs <= 60_000; atMs += step) store.add({ atMs, powerW: 1 });
      const times = store.around(20_000, 30_000, 8000).map(({ atMs }) => atMs);
      expect(times[0]).toBe(12_000);
      expect(times.at(-1)).toBe(38_000);
      expect(times.length).toBe(26_000 / step + 1);
    },
  );

  test("gives two readings on each side of a window, however far away they are", () => {
    const store = new ReadingStore("a");
    for (const atMs of [0, 1000, 2000, 90_000, 91_000, 92_000]) store.add({ atMs, powerW: 1 });
    const times = (startMs: number, endMs: number): readonly number[] =>
      store.around(startMs, endMs, 10).map(({ atMs }) => atMs);
    expect(times(40_000, 50_000)).toEqual([1000, 2000, 90_000, 91_000]);
    expect(times(95_000, 96_000)).toEqual([91_000, 92_000]);
    expect(times(-9, -1)).toEqual([0, 1000]);
  });

  test("across its chunks, a window is what a plain array would give", () => {
    const store = new ReadingStore("a");
    for (let atMs = 0; atMs < 10_000; atMs++) store.add({ atMs, powerW: 1 });
    const range = fc.tuple(
      fc.nat({ max: 10_500 }),
      fc.nat({ max: 9000 }),
      fc.integer({ min: 2, max: 70 }),
    );
    fc.assert(
      fc.property(range, ([startMs, lengthMs, margin]) => {
        const endMs = startMs + lengthMs;
        const times = store.around(startMs, endMs, margin).map(({ atMs }) => atMs);
        const first = Math.min(Math.max(0, startMs - margin), 9998);
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
