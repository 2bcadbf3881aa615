import type { PowerProfile } from "../../../src/engine/profiles/engine-profile.ts";

/** GPUs without noise, ramp and warming, unless a test wants them. */
export function powerProfile(more: Partial<PowerProfile> = {}): PowerProfile {
  return {
    gpuCount: 1,
    gpuName: "SIMULATED H100",
    generation: "hopper",
    idleW: 100,
    awakeW: 150,
    awakeMs: 2000,
    decodeW: 300,
    decodePerDoublingW: 30,
    prefillW: 600,
    limitW: 700,
    rampMs: 0,
    noise: 0,
    thermalDrift: 0,
    thermalS: 60,
    ...more,
  };
}
