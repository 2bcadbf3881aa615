import { describe, expect, test } from "vitest";
import { DRIVER_BY_AGE, SENSOR_BY_GENERATION } from "../../../src/engine/nvidia-smi/generations.ts";
import { openPowerSignal } from "../../../src/engine/nvidia-smi/power-signal.ts";
import { scenarioProblems } from "../../../src/engine/nvidia-smi/read-scenario.ts";
import type { GpuGeneration } from "../../../src/engine/profiles/engine-profile.ts";
import { gpu, query, scenarioOf } from "./child.ts";

/** 100 W until 5050 ms, 300 W for 60 ms, then 200 W. */
const STEPS = [
  { atMs: 0, powerW: 100 },
  { atMs: 5050, powerW: 300 },
  { atMs: 5110, powerW: 200 },
];

/** Seen at 5105, at 5205 and at 5610 ms, by hand: `power.draw`, `.average`, `.instant`. */
const SHOWN: Record<GpuGeneration, [string, string, string]> = {
  // As of 5100, 5200 and 5600; 25 ms of each 100 are looked at.
  hopper: ["110.00 110.00 300.00", "121.00 121.00 200.00", "161.00 161.00 200.00"],
  ada: ["110.00 110.00 200.00", "121.00 121.00 210.00", "161.00 161.00 200.00"],
  ampere: ["110.00 110.00 200.00", "121.00 121.00 210.00", "161.00 161.00 200.00"],
  ga100: ["300.00 - 300.00", "200.00 - 200.00", "200.00 - 200.00"],
  turing: ["200.00 - 200.00", "210.00 - 210.00", "200.00 - 200.00"],
  // As of 5100, 5200 and 5600, each from the 10 ms before.
  volta: ["300.00 - 300.00", "200.00 - 200.00", "200.00 - 200.00"],
  jetson: ["110.00 110.00 200.00", "121.00 121.00 210.00", "161.00 161.00 200.00"],
};

describe("the sensor of each generation", () => {
  test.each(Object.entries(SHOWN))("%s averages what it averages", (generation, shown) => {
    const preset = SENSOR_BY_GENERATION[generation as GpuGeneration];
    const hasAverage = preset.cells?.["power.draw.average"] === undefined;
    const device = gpu(0, { ...preset, power: { kind: "steps", steps: STEPS } });
    const signal = openPowerSignal(device, { originNs: 0n, seed: 1 });
    const seen = [5105, 5205, 5610].map((nowMs) => {
      const { drawText, averageText, instantText } = signal.readAt(nowMs);
      return `${drawText} ${hasAverage ? averageText : "-"} ${instantText}`;
    });
    expect(seen).toEqual(shown);
  });

  test("of Volta is renewed every 20 ms", () => {
    const device = gpu(0, {
      ...SENSOR_BY_GENERATION.volta,
      power: { kind: "steps", steps: STEPS },
    });
    const signal = openPowerSignal(device, { originNs: 0n, seed: 1 });
    const seen = [5059, 5060, 5079].map((nowMs) => signal.readAt(nowMs).instantText);
    expect(seen).toEqual(["100.00", "300.00", "300.00"]);
  });

  test("is a scenario that can be played, and [N/A] is printed where it has no average", async () => {
    const devices = Object.values(SENSOR_BY_GENERATION).map((preset, index) =>
      gpu(index, { ...preset, powerLimitW: 300 }),
    );
    expect(scenarioProblems(scenarioOf(devices))).toEqual([]);
    const fields = "power.draw,power.draw.average,power.draw.instant,power.limit";
    const { stdout } = await query(scenarioOf(devices), fields);
    expect(stdout.split("\n").map((line) => line.split(", ").slice(1).join(" "))).toEqual([
      "100.00 100.00 300.00",
      "101.00 101.00 300.00",
      "102.00 102.00 300.00",
      "[N/A] 103.00 300.00",
      "[N/A] 104.00 300.00",
      "[N/A] 105.00 300.00",
      "106.00 106.00 [N/A]",
      "",
    ]);
  });
});

describe("an old driver", () => {
  const old = scenarioOf([gpu(0)], DRIVER_BY_AGE.old);

  test.each([
    "power.draw.average",
    "power.draw.instant",
    "clocks_event_reasons.sw_power_cap",
    "clocks_event_reasons_counters.sw_power_cap",
  ])("does not know %s", async (field) => {
    expect(await query(old, field)).toMatchObject({
      stdout: `Field "${field}" is not a valid field to query.\n\n`,
      exitCode: 2,
    });
  });

  test("has power.draw, and the flags under their old names", async () => {
    const fields = "power.draw,clocks_throttle_reasons.sw_power_cap,driver_version";
    expect((await query(old, fields)).stdout).toBe("100.00, Not Active, 525.85.12\n");
  });
});
