import type { Refusal } from "../energy/rail-refusal.ts";

/** Why a figure of energy is absent, in a code and in words. */
export type EnergyReason = Refusal;
