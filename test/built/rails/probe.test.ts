import { nowMs } from "joulemark";
import { describe, expect, test } from "vitest";
import type { Scenario } from "../../../src/engine/nvidia-smi/scenario.ts";
import { eventually } from "../../support/eventually.ts";
import { measured, openRail, reasonsOf } from "../../support/open-rail.ts";
import { box, gpu } from "../../support/scenarios.ts";

describe("the ladder of fields", () => {
  const na = { cells: { "power.draw.average": "[N/A]" } };

  test.each<[string, Scenario, string, number]>([
    [
      "Turing: no average",
      { devices: [gpu(0, { name: "NVIDIA GeForce RTX 2080 SUPER", ...na })] },
      "power.draw.instant",
      100,
    ],
    [
      "A100: no average",
      { devices: [gpu(0, { name: "NVIDIA A100-SXM4-80GB", ...na })] },
      "power.draw.instant",
      25,
    ],
    [
      "driver 525: the fields are not known",
      { devices: [gpu(0)], driverVersion: "525.60.13", refusedFields: ["power.draw.*"] },
      "power.draw",
      1000,
    ],
    [
      "a laptop: instant alone",
      {
        devices: [
          gpu(0, {
            name: "NVIDIA GeForce RTX 4060 Laptop GPU",
            cells: { "power.draw.average": "N/A", "power.draw": "[N/A]" },
          }),
        ],
      },
      "power.draw.instant",
      100,
    ],
  ])("%s", async (_why, scenario, field, averagingMs) => {
    const { sampler } = await openRail(scenario);
    expect(sampler.facts.fields[0]).toBe(field);
    expect(sampler.facts.sensor.averagingMs).toBe(averagingMs);
  });

  test("older drivers call the flags throttle reasons", async () => {
    const { sampler } = await openRail(box(1, { refusedFields: ["clocks_event_reasons.*"] }));
    expect(sampler.facts.fields[1]).toBe("clocks_throttle_reasons.sw_power_cap");
  });

  test("a driver without flags still gives watts, and the flags are unknown", async () => {
    const refusedFields = ["clocks_event_reasons.*", "clocks_throttle_reasons.*"];
    const { sampler } = await openRail(box(1, { refusedFields }));
    const startMs = nowMs();
    const window = measured(await sampler.window(startMs, startMs + 300));
    expect(window).not.toHaveProperty("swPowerCapFrac");
  });

  test("a GPU that has no sensor beside one that has makes the sum unknown", async () => {
    const silent = {
      "power.draw.average": "[N/A]",
      "power.draw.instant": "[N/A]",
      "power.draw": "[N/A]",
    };
    const { sampler } = await openRail({ devices: [gpu(0), gpu(1, { cells: silent })] });
    expect(sampler.facts.warnings.join()).toContain("GPU 1");
    const startMs = nowMs();
    const window = await sampler.window(startMs, startMs + 400);
    expect(window.state).toBe("refused");
    expect(reasonsOf(window)).toContain("rail_device_missing");
    const alone = await openRail(
      { devices: [gpu(0), gpu(1, { cells: silent })] },
      { devices: ["0"] },
    );
    measured(await alone.sampler.window(nowMs(), nowMs() + 400));
  });

  test("a GPU that is split by MIG is not one server's", async () => {
    const { sampler } = await openRail({ devices: [gpu(0, { migMode: "Enabled" })] });
    const startMs = nowMs();
    expect(reasonsOf(await sampler.window(startMs, startMs + 300))).toEqual([
      "rail_not_attributable",
    ]);
  });

  test.each(["Disabled", "[N/A]", "N/A"])(
    "a GPU whose MIG mode is “%s” is one server's",
    async (mode) => {
      const { sampler } = await openRail({
        devices: [gpu(0, { cells: { "mig.mode.current": mode } })],
      });
      const startMs = nowMs();
      const window = await sampler.window(startMs, startMs + 300);
      expect(reasonsOf(window)).not.toContain("rail_not_attributable");
      measured(window);
    },
  );

  test.each(["N/A", "[N/A]", "ERR!", "Unknown Error"])(
    "GPUs whose uuid is “%s” are told apart by their index",
    async (uuid) => {
      const devices = [gpu(0, { cells: { uuid } }), gpu(1, { cells: { uuid } })];
      const { sampler } = await openRail({ devices, timing: { jitterMs: [0, 5] } });
      const startMs = nowMs();
      const window = measured(await sampler.window(startMs, startMs + 400));
      expect(Math.abs(window.meanPowerW - 300)).toBeLessThan(2);
      expect(Object.keys(window.byDevice)).toEqual(["0", "1"]);
    },
  );

  test("GPUs that claim the same uuid are told apart by their index", async () => {
    const devices = [
      gpu(0, { cells: { uuid: "GPU-same" } }),
      gpu(1, { cells: { uuid: "GPU-same" } }),
    ];
    const { sampler } = await openRail({ devices, timing: { jitterMs: [0, 5] } });
    const startMs = nowMs();
    const window = measured(await sampler.window(startMs, startMs + 400));
    expect(Math.abs(window.meanPowerW - 300)).toBeLessThan(2);
  });

  test("a GPU with neither uuid nor index makes the sum unknown, unless it is the only one", async () => {
    const lost = { uuid: "[GPU is lost]", index: "[GPU is lost]" };
    const { sampler } = await openRail({ devices: [gpu(0), gpu(1, { cells: lost })] });
    const startMs = nowMs();
    expect((await sampler.window(startMs, startMs + 400)).state).toBe("refused");
    const alone = await openRail({
      devices: [gpu(0, { cells: lost })],
      timing: { jitterMs: [0, 5] },
    });
    const aloneMs = nowMs();
    measured(await alone.sampler.window(aloneMs, aloneMs + 400));
  });

  test("a name with a comma hides neither the MIG mode nor the limit", async () => {
    const devices = [gpu(0, { name: "Odd, GPU", migMode: "Enabled" })];
    const { sampler } = await openRail({ devices });
    expect(sampler.facts.devices[0]).toMatchObject({
      name: "Odd, GPU",
      isPartitioned: true,
      powerLimitW: 700,
    });
  });

  test("a reading far above the power limit is a torn line, not a reading", async () => {
    const lines = ["62626.88, Not Active, Not Active, 0, GPU-00000000, 625.1"];
    const faults = [{ kind: "rubbish", afterTicks: 3, forTicks: 1, lines }] as const;
    const { sampler, samples } = await openRail(box(1, { faults }));
    await eventually("eight readings", () => samples().length >= 8);
    expect((await sampler.stop()).rejectedLines).toBe(1);
    expect(Math.max(...samples().map(({ powerW }) => powerW))).toBeLessThan(200);
  });
});
