import type { PowerProfile } from "../profiles/engine-profile.ts";
import type { GpuWork } from "./gpu-work.ts";

/** The ramp is a staircase: so many stairs in each time constant, so many in all. */
export const RAMP_SLICES: { readonly perTimeConstant: number; readonly count: number } = {
  perTimeConstant: 4,
  count: 24,
};

/** What a step asks of each GPU, its limit and its ramp aside, in W. */
export function workDemandW(
  power: PowerProfile,
  { decoding, prefillShare }: Extract<GpuWork, { kind: "step" }>,
): number {
  if (decoding <= 0) return power.prefillW;
  const decodeW = power.decodeW + power.decodePerDoublingW * Math.log2(decoding);
  return decodeW * (1 - prefillShare) + power.prefillW * prefillShare;
}

/**
 * How much of the rise from idle is done, 0 to 1: each stair as high as the exponential is in its
 * middle, and all of it after the last.
 *
 * @param sinceWaking - time since the GPUs woke, in time constants; not a finite number: no ramp.
 */
export function rampShare(sinceWaking: number): number {
  // A few billionths, so that a stair that begins on a whole ns is not missed by rounding.
  const slice = Math.floor(sinceWaking * RAMP_SLICES.perTimeConstant + 1e-7);
  if (!Number.isFinite(sinceWaking) || slice >= RAMP_SLICES.count) return 1;
  return 1 - Math.exp(-(slice + 0.5) / RAMP_SLICES.perTimeConstant);
}
