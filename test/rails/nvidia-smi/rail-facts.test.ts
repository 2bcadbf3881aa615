import { describe, expect, test } from "vitest";
import type { Probe } from "../../../src/rails/nvidia-smi/probe.ts";
import { railFacts } from "../../../src/rails/nvidia-smi/rail-facts.ts";

function probed(more: Partial<Probe>): Probe {
  return {
    columns: ["power.draw.average", "index", "uuid", "power.draw.instant"],
    powerField: "power.draw.average",
    devices: [{ id: "GPU-a", index: 0, name: "NVIDIA H100 80GB HBM3" }],
    driverVersion: "590.48.01",
    silent: new Map(),
    ...more,
  };
}

describe("railFacts", () => {
  test("has the facts of the column beside the power field", () => {
    expect(railFacts(probed({}), 250).second).toEqual({
      field: "power.draw.instant",
      sensor: { averagingMs: 25, updateMs: 100, kind: "instant" },
    });
  });

  test("has no second column where there is none, or where it is the power field itself", () => {
    const alone = { columns: ["power.draw", "uuid"], powerField: "power.draw" };
    expect(railFacts(probed(alone), 250)).not.toHaveProperty("second");
    const instant = { columns: ["power.draw.instant", "uuid"], powerField: "power.draw.instant" };
    expect(railFacts(probed(instant), 250)).not.toHaveProperty("second");
  });

  test("one device that is no plain mean leaves the rail without an estimate, by its name", () => {
    expect(railFacts(probed({}), 250)).not.toHaveProperty("unmodelled");
    const devices = [
      { id: "GPU-a", index: 0, name: "NVIDIA GeForce RTX 3090" },
      { id: "GPU-b", index: 1, name: "Tesla K40m" },
    ];
    expect(railFacts(probed({ devices }), 250).unmodelled).toMatch(/^GPU 1 \(Tesla K40m\): /);
  });
});
