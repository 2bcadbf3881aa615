import { describe, expect, test } from "vitest";
import { idleLine, samplerCostLine, windowLine } from "../../src/energy/energy-lines.ts";
import type { EnergyWindow } from "../../src/energy/energy-window.ts";
import { railHead } from "../../src/energy/rail-head.ts";
import { runMetrics } from "../../src/energy/run-metrics.ts";
import { windowMetrics } from "../../src/energy/window-metrics.ts";

const window: EnergyWindow = {
  windowS: 100,
  samples: 400,
  energyJ: 72_000,
  meanPowerW: 720,
  maxPowerW: 731.5,
  swPowerCapFrac: 0.25,
};

describe("windowMetrics", () => {
  test("writes the keys of a window behind its prefix, sorted", () => {
    const metrics = windowMetrics(window, {
      prefix: "c4_",
      tokens: 72_000,
      idle: { meanPowerW: 120 },
    });
    expect(metrics).toEqual({
      c4_gpu_rail_energy_above_idle_j: 60_000,
      c4_gpu_rail_energy_j: 72_000,
      c4_gpu_rail_energy_window_s: 100,
      c4_gpu_rail_energy_window_tokens: 72_000,
      c4_gpu_rail_joules_per_token: 1,
      c4_gpu_rail_max_power_w: 731.5,
      c4_gpu_rail_mean_power_w: 720,
      c4_gpu_rail_power_samples: 400,
      c4_gpu_rail_sw_power_cap_frac: 0.25,
    });
    expect(Object.keys(metrics)).toEqual(Object.keys(metrics).toSorted());
  });

  test("S72: names both denominators: every generated token, and those that were delivered", () => {
    const metrics = windowMetrics(
      { ...window, energyJ: 1800 },
      { tokens: { output: 900, delivered: 800, input: 100 } },
    );
    expect(metrics).toMatchObject({
      gpu_rail_joules_per_token: 2,
      gpu_rail_joules_per_delivered_token: 2.25,
      gpu_rail_joules_per_input_token: 18,
      gpu_rail_joules_per_total_token: 1.8,
    });
  });

  test("an estimate has keys of its own, with the ends of its interval, beside the plain integral", () => {
    const estimate = { energyJ: 80_000, loJ: 79_200, hiJ: 81_600, method: "quiet_edges" } as const;
    const metrics = windowMetrics(
      { ...window, estimate },
      { prefix: "c4_", tokens: { output: 800, delivered: 400 }, idle: { meanPowerW: 120 } },
    );
    expect(metrics).toMatchObject({
      c4_gpu_rail_energy_j: 72_000,
      c4_gpu_rail_energy_est_j: 80_000,
      c4_gpu_rail_energy_est_lo_j: 79_200,
      c4_gpu_rail_energy_est_hi_j: 81_600,
      c4_gpu_rail_energy_above_idle_est_j: 68_000,
      c4_gpu_rail_energy_above_idle_est_lo_j: 67_200,
      c4_gpu_rail_joules_per_token: 90,
      c4_gpu_rail_joules_per_token_est: 100,
      c4_gpu_rail_joules_per_token_est_lo: 99,
      c4_gpu_rail_joules_per_token_est_hi: 102,
      c4_gpu_rail_joules_per_delivered_token_est: 200,
    });
    expect(metrics).not.toHaveProperty("c4_gpu_rail_joules_per_input_token_est");
    expect(Object.keys(windowMetrics(window, { tokens: 9 })).join()).not.toContain("_est");
    const none = Object.keys(windowMetrics({ ...window, estimate }, { tokens: 0 }));
    expect(none.filter((key) => key.includes("token_est"))).toEqual([]);
  });

  test("what a second column says has keys of its own: an instant one's, or a counter's", () => {
    const estimate = { energyJ: 50, loJ: 49, hiJ: 52, method: "instant" } as const;
    const instant = { field: "power.draw.instant", estimate };
    expect(windowMetrics({ ...window, second: instant }, { tokens: 10 })).toMatchObject({
      gpu_rail_instant_est_j: 50,
      gpu_rail_instant_est_lo_j: 49,
      gpu_rail_instant_est_hi_j: 52,
    });
    const counter = { field: "energy", estimate: { ...estimate, method: "counter" } } as const;
    const counted = windowMetrics({ ...window, second: counter }, { tokens: 10 });
    expect(counted).toMatchObject({
      gpu_rail_counter_j: 50,
      gpu_rail_counter_joules_per_token: 5,
    });
    expect(Object.keys(counted).join()).not.toContain("_est");
  });

  test("what was not measured has no key", () => {
    expect(windowMetrics(undefined, { tokens: 10 })).toEqual({});
    const bare = windowMetrics({ ...window, energyJ: Number.NaN });
    expect(bare).not.toHaveProperty("gpu_rail_energy_j");
    expect(bare).not.toHaveProperty("gpu_rail_energy_above_idle_j");
    expect(bare).not.toHaveProperty("gpu_rail_joules_per_token");
    expect(bare).not.toHaveProperty("gpu_rail_hw_power_brake_frac");
  });

  test("no token at all is a count, not a ratio", () => {
    const metrics = windowMetrics(window, { tokens: 0 });
    expect(metrics["gpu_rail_energy_window_tokens"]).toBe(0);
    expect(metrics).not.toHaveProperty("gpu_rail_joules_per_token");
  });

  test("a simulated rail never writes a key of a real one", () => {
    const rail = railHead(["NVIDIA H100 80GB HBM3", "SIMULATED GPU"], "gpu_rail");
    const keys = Object.keys(windowMetrics(window, { rail, tokens: 5, idle: { meanPowerW: 1 } }));
    expect(keys.length).toBeGreaterThan(5);
    expect(keys.every((key) => key.startsWith("sim_rail_"))).toBe(true);
    expect(railHead(["NVIDIA H100 80GB HBM3"], "gpu_rail")).toBe("gpu_rail");
  });
});

describe("runMetrics", () => {
  test("writes rejected lines only when there were some, and costs only when they are known", () => {
    expect(runMetrics({ samplePeriodMs: 250 })).toEqual({ gpu_rail_sample_period_ms: 250 });
    const cost = { wallS: 60, samples: 230, rejectedLines: 0 };
    expect(runMetrics({ samplePeriodMs: 250, cost })).toEqual({
      gpu_rail_sample_period_ms: 250,
      gpu_rail_sampler_wall_s: 60,
    });
    expect(
      runMetrics({
        samplePeriodMs: 250,
        idle: window,
        cost: { ...cost, cpuS: 0.1, rejectedLines: 3 },
      }),
    ).toEqual({
      gpu_rail_idle_power_samples: 400,
      gpu_rail_idle_power_w: 720,
      gpu_rail_sample_period_ms: 250,
      gpu_rail_sampler_cpu_s: 0.1,
      gpu_rail_sampler_rejected_lines: 3,
      gpu_rail_sampler_wall_s: 60,
    });
  });
});

describe("the lines for people", () => {
  test("a window says its energy, mean, maximum and what held it back", () => {
    expect(windowLine(window, { meanPowerW: 120 })).toBe(
      "energy 72000.0 J over 100.00 s, mean 720.0 W, max 731.5 W, 400 readings, 60000.0 J above idle, power cap in 25 %",
    );
    expect(windowLine({ ...window, swPowerCapFrac: 0 })).toBe(
      "energy 72000.0 J over 100.00 s, mean 720.0 W, max 731.5 W, 400 readings",
    );
  });

  test("a window with an estimate says it first, its interval, and both columns beside it", () => {
    const estimate = { energyJ: 73_000, loJ: 72_500, hiJ: 73_600, method: "quiet_edges" } as const;
    const second = { field: "power.draw.instant", estimate: { ...estimate, energyJ: 72_900 } };
    expect(windowLine({ ...window, estimate, second }, { meanPowerW: 120 })).toBe(
      "energy 73000.0 J (72500.0 to 73600.0), power.draw.instant 72900.0 J, plain integral 72000.0 J over 100.00 s, mean 720.0 W, max 731.5 W, 400 readings, 61000.0 J above idle, power cap in 25 %",
    );
  });

  test("the baseline and the sampler's cost are told", () => {
    expect(idleLine({ ...window, windowS: 2, samples: 8, meanPowerW: 71.25 })).toBe(
      "idle 71.3 W over 2.0 s (8 readings)",
    );
    expect(samplerCostLine({ cpuS: 0.5, wallS: 100, samples: 400, rejectedLines: 2 })).toBe(
      "sampler: 0.50 s CPU (0.50 % of a core), over 100.0 s, 400 readings, 2 lines rejected",
    );
    expect(samplerCostLine({ wallS: 1, samples: 4, rejectedLines: 0 })).toBe(
      "sampler: CPU time not known, over 1.0 s, 4 readings",
    );
  });
});
