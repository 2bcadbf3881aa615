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
