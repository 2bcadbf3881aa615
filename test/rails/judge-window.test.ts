import { describe, expect, test } from "vitest";
import type { PowerSample } from "../../src/energy/power-sample.ts";
import { type DeviceSeries, judgeWindow } from "../../src/rails/judge-window.ts";
import { every } from "../energy/samples.ts";

const FACTS = {
  sensor: { averagingMs: 1000, updateMs: 100, kind: "average" },
  periodMs: 250,
  isWorking: true,
} as const;

/** Readings of a device at about 300 W. */
function readings(fromMs: number, toMs: number): PowerSample[] {
  return every(250, fromMs, toMs, (atMs) => 300 + ((atMs / 250) % 3) / 10);
}

function series(id: string, samples: readonly PowerSample[]): DeviceSeries {
  return { device: { id, index: 0 }, samples, droppedUntilMs: Number.NEGATIVE_INFINITY };
}

describe("a window of a rail", () => {
  test("has the estimate of all its devices, of each alone too, beside the plain integral", () => {
    const all = ["a", "b"].map((id) => series(id, readings(0, 30_000)));
    const window = judgeWindow(all, 10_000, 20_000, FACTS);
    if (window.state === "refused") throw new Error("refused");
    const { estimate, byDevice, energyJ } = window;
    expect(window.reasons).toEqual([]);
    expect(energyJ).toBeCloseTo(6002, -1);
    expect(estimate!.loJ).toBeLessThan(6002);
    expect(estimate!.hiJ).toBeGreaterThan(6002);
    expect(byDevice["a"]!.estimate!.energyJ + byDevice["b"]!.estimate!.energyJ).toBeCloseTo(
      estimate!.energyJ,
      6,
    );
  });

  test("whose readings end too soon keeps its plain integral, and says why it has no estimate", () => {
    const window = judgeWindow([series("a", readings(0, 20_250))], 10_000, 20_000, FACTS);
    expect(window).toMatchObject({
      state: "measured",
      reasons: [{ reason: "rail_not_bracketed", refuses: "estimate" }],
    });
    expect(window).not.toHaveProperty("estimate");
  });

  test("that is refused has no estimate either", () => {
    const holed = [...readings(0, 12_000), ...readings(16_000, 30_000)];
    const window = judgeWindow([series("a", holed)], 10_000, 20_000, FACTS);
    expect(window).toMatchObject({ state: "refused", reasons: [{ reason: "rail_gap" }] });
    expect(window).not.toHaveProperty("estimate");
  });

  test("shows what the second column says, where it was declared", () => {
    const both = readings(0, 30_000).map((sample) => ({ ...sample, instantW: sample.powerW }));
    const second = {
      field: "power.draw.instant",
      sensor: { averagingMs: 100, updateMs: 100, kind: "instant" },
    } as const;
    const window = judgeWindow([series("a", both)], 10_000, 20_000, { ...FACTS, second });
    expect(window).toMatchObject({ second: { field: "power.draw.instant" } });
    expect(judgeWindow([series("a", both)], 10_000, 20_000, FACTS)).not.toHaveProperty("second");
  });
});
