import type { PowerModel, Scenario, ScenarioDevice } from "../../src/engine/nvidia-smi/scenario.ts";

/** GPU `index` of a stand-in, which answers as a real H100 does; moving power by default. */
export function gpu(index: number, device: Partial<ScenarioDevice> = {}): ScenarioDevice {
  return {
    index,
    uuid: `GPU-0000000${index}`,
    name: "NVIDIA H100 80GB HBM3",
    powerLimitW: 700,
    migMode: "Disabled",
    power: steady(100 * (index + 1)),
    ...device,
  };
}

/** A power that stays where it is but for the last digits. */
export function steady(powerW: number): PowerModel {
  return { kind: "steps", steps: [{ atMs: 0, powerW }], noiseW: 0.5 };
}

/** A box with `count` GPUs, and whatever else the test wants of it. */
export function box(count: number, more: Partial<Scenario> = {}): Scenario {
  return {
    devices: Array.from({ length: count }, (_, index) => gpu(index)),
    timing: { jitterMs: [0, 5] },
    ...more,
  };
}
