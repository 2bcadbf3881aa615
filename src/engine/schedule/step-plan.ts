import type { EngineProfile } from "../profiles/engine-profile.ts";
import type { StepPlan } from "./sequence.ts";

/**
 * What a step is and how long it takes. Each step has the base time, also one that only prefills;
 * the share of prefill is of the whole step, so a short prompt alone hardly counts as prefill: it
 * is bound by memory, as decoding is.
 */
export function stepPlan(
  profile: EngineProfile,
  work: Pick<StepPlan, "decoding" | "prefillTokens" | "contextTokens" | "admitted">,
): StepPlan {
  const prefillMs = (work.prefillTokens / profile.prefillTokensPerS) * 1000;
  const decodeMs =
    profile.stepPerSequenceMs * work.decoding +
    profile.stepPerKiloContextMs * (work.contextTokens / 1000);
  const durationMs = profile.stepBaseMs + decodeMs + prefillMs;
  const prefillShare = durationMs > 0 ? prefillMs / durationMs : 0;
  return { ...work, durationMs, prefillShare };
}
