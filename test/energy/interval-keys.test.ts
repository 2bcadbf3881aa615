import { describe, expect, test } from "vitest";
import { intervalKeys, isIntervalEnd } from "../../src/energy/interval-keys.ts";
import { windowMetrics } from "../../src/energy/window-metrics.ts";

const window = { windowS: 1, samples: 4, energyJ: 90, meanPowerW: 90, maxPowerW: 99 };
const estimate = { energyJ: 100, loJ: 98, hiJ: 104, method: "quiet_edges" } as const;
const second = {
  field: "power.draw.instant",
  estimate: { energyJ: 99, loJ: 97, hiJ: 101, method: "instant" },
} as const;

describe("the keys of an interval", () => {
  test("are there for every figure of an estimate that a window has, and their values in order", () => {
    const metrics = windowMetrics(
      { ...window, estimate, second },
      { tokens: { output: 10, delivered: 8, input: 40 }, idle: { meanPowerW: 20 } },
    );
    const estimated = Object.keys(metrics).filter((key) => key.includes("_est"));
    const figures = estimated.filter((key) => !isIntervalEnd(key));
    expect(figures).toHaveLength(7);
    expect(estimated).toHaveLength(3 * figures.length);
    for (const key of figures) {
      const { lo, hi } = intervalKeys(key)!;
      expect(metrics[lo]).toBeLessThan(metrics[key]!);
      expect(metrics[hi]).toBeGreaterThan(metrics[key]!);
      expect(isIntervalEnd(lo) && isIntervalEnd(hi)).toBe(true);
    }
  });

  test.each(["gpu_rail_energy_j", "ttft_p50_ms", "gpu_rail_energy_est_lo_j", "best_x"])(
    "are none for %s",
    (key) => expect(intervalKeys(key)).toBeUndefined(),
  );
});
