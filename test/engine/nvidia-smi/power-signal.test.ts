import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openPowerSignal } from "../../../src/engine/nvidia-smi/power-signal.ts";
import type { ScenarioDevice } from "../../../src/engine/nvidia-smi/scenario.ts";
import { gpu } from "./child.ts";

const ORIGIN = { originNs: 0n, seed: 1 };

function stepping(steps: { atMs: number; powerW: number }[], more: Partial<ScenarioDevice> = {}) {
  return openPowerSignal(gpu(0, { power: { kind: "steps", steps }, ...more }), ORIGIN);
}

describe("a power signal", () => {
  test("shows the 1 s mean and the 100 ms mean, both as of the last update", () => {
    const signal = stepping([
      { atMs: 0, powerW: 100 },
      { atMs: 5050, powerW: 300 },
    ]);
    const shown = [5049, 5099, 5100, 5200, 6099, 6100].map((nowMs) => {
      const { averageText, instantText } = signal.readAt(nowMs);
      return `${averageText} ${instantText}`;
    });
    expect(shown).toEqual([
      "100.00 100.00",
      "100.00 100.00",
      "110.00 200.00",
      "130.00 300.00",
      "290.00 300.00",
      "300.00 300.00",
    ]);
  });

  test("power.draw is averaged as power.draw.average, unless it has a window of its own", () => {
    const steps = [
      { atMs: 0, powerW: 100 },
      { atMs: 5050, powerW: 300 },
    ];
    expect(stepping(steps).readAt(5200).drawText).toBe("130.00");
    expect(stepping(steps, { powerDrawMs: 300 }).readAt(5200).drawText).toBe("200.00");
    // A window that is longer than that of the average is not forgotten too early.
    const long = stepping([...steps.toSpliced(1, 0, { atMs: 3000, powerW: 200 })], {
      powerDrawMs: 4000,
      averagingMs: 100,
    });
    for (let nowMs = 0; nowMs < 8050; nowMs += 10) long.readAt(nowMs);
    // From 4000 to 8000: 1050 ms of 200 W, 2950 ms of 300 W.
    expect(long.readAt(8050).drawText).toBe("273.75");
  });

  test("readings are multiples of the quantum", () => {
    const signal = stepping([{ atMs: 0, powerW: 101.13 }], { quantumW: 0.25 });
    expect(signal.readAt(3000).averageText).toBe("101.25");
  });

  test("tenants are added to what is shown, each mean exact, and are never capped", () => {
    const load = { kind: "square", lowW: 0, highW: 200, periodMs: 400, highMs: 100 } as const;
    const tenants = [
      // A period begins 50 ms after the origin.
      { load, originNs: "1050000000" },
      { load: { kind: "constant", powerW: 10 }, originNs: "0" },
    ] as const;
    const device = gpu(0, {
      power: { kind: "constant", powerW: 100 },
      powerLimitW: 150,
      tenants,
    });
    const signal = openPowerSignal(device, { originNs: 1_000_000_000n, seed: 1 });
    const seen = [100, 200, 300, 500].map((nowMs) => signal.readAt(nowMs));
    // 50 of 100 ms, 50 of 100, none, and 50 again a period later.
    expect(seen.map(({ instantText }) => Number(instantText))).toEqual([210, 210, 110, 210]);
    // From -500 to 500: high from -350, from 50, and for the first half of that from 450.
    expect(seen[3]!.averageText).toBe("160.00");
    expect(seen.map(({ isCapped }) => isCapped)).toEqual([false, false, false, false]);
  });

  test("the first step also holds before its time", () => {
    const signal = stepping([
      { atMs: 500, powerW: 80 },
      { atMs: 900, powerW: 300 },
    ]);
    expect(signal.readAt(0).averageText).toBe("80.00");
  });

  test("is capped while the true power is at its limit, and counts that time", () => {
    const steps = [
      { atMs: 0, powerW: 100 },
      { atMs: 1000, powerW: 700 },
      { atMs: 1400, powerW: 699 },
    ];
    const signal = stepping(steps, { powerLimitW: 700 });
    const seen = [999, 1250, 1400, 9000].map((nowMs) => {
      const { isCapped, cappedUs } = signal.readAt(nowMs);
      return [isCapped, cappedUs];
    });
    expect(seen).toEqual([
      [false, 0],
      [true, 250_000],
      [false, 400_000],
      [false, 400_000],
    ]);
  });

  test("noise belongs to an update: read twice, it is the same", () => {
    const power = { kind: "steps", steps: [{ atMs: 0, powerW: 300 }], noiseW: 2 } as const;
    const signal = openPowerSignal(gpu(0, { power }), ORIGIN);
    const at = (nowMs: number) => signal.readAt(nowMs).averageText;
    expect(at(1001)).toBe(at(1099));
    expect(at(1101)).not.toBe(at(1099));
  });

  test("forgets the past without a trace: read often or once, it shows the same", () => {
    const gaps = fc.array(fc.record({ gapMs: fc.nat(400), powerW: fc.nat(700) }), { minLength: 1 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 300 }), (entries, periodMs) => {
        let atMs = 0;
        const steps = entries.map(({ gapMs, powerW }) => {
          atMs += gapMs;
          return { atMs, powerW };
        });
        const often = stepping(steps, { powerLimitW: 350 });
        for (let nowMs = 0; nowMs <= atMs + 1500; nowMs += periodMs) {
          const once = stepping(steps, { powerLimitW: 350 });
          expect(often.readAt(nowMs)).toEqual(once.readAt(nowMs));
        }
      }),
      { numRuns: 50 },
    );
  });
});
