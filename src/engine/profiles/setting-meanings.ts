import type { EngineProfile, PowerProfile } from "./engine-profile.ts";
import { POWER_PREFIX } from "./setting-rules.ts";

/** What a figure of a profile is, for people. */
export interface SettingMeaning {
  /** Empty for what has none. */
  readonly unit: string;
  readonly meaning: string;
}

type Told = readonly [unit: string, meaning: string];

const engineMeanings: Readonly<Record<Exclude<keyof EngineProfile, "power" | "summary">, Told>> = {
  model: ["", "name of the model, as /v1/models lists it"],
  contextTokens: ["tokens", "longest prompt and reply together"],
  kvTokens: ["tokens", "room for the contexts of all running sequences"],
  maxRunning: ["sequences", "most in one step"],
  stepTokens: ["tokens", "most that one step takes, decoded and prefilled together"],
  stepBaseMs: ["ms", "time of a decode step, without what follows"],
  stepPerSequenceMs: ["ms", "more of it for each sequence that decodes"],
  stepPerKiloContextMs: ["ms", "more of it for each 1,000 tokens of context"],
  prefillTokensPerS: ["tokens/s", "rate of prefill"],
  gatherMs: ["ms", "how long an idle engine waits for more before its first step"],
  hasPrefixCache: ["", "blocks of a prompt that were seen before are not prefilled again"],
  draftTokens: ["tokens", "proposals of a draft model in each step; 0: no speculation"],
  draftAcceptance: ["share", "chance of a proposal, given those before it were taken"],
  naturalReplyTokens: ["tokens", "median length of replies that end by themselves"],
};

const powerMeanings: Readonly<Record<keyof PowerProfile, Told>> = {
  gpuCount: ["GPUs", "that serve together; all watts are those of each"],
  gpuName: ["", "as nvidia-smi prints it; begins with SIMULATED"],
  generation: ["", "which sensor the GPUs have"],
  idleW: ["W", "model loaded, nothing to do"],
  awakeW: ["W", "for a while after the last step"],
  awakeMs: ["ms", "how long that is"],
  decodeW: ["W", "decoding one sequence"],
  decodePerDoublingW: ["W", "more for each doubling of them"],
  prefillW: ["W", "prefill that fills the step"],
  limitW: ["W", "above it the power stays here and steps take longer"],
  rampMs: ["ms", "time constant of the rise out of sleep; 0: at once"],
  noise: ["share", "half-width of the random part, anew after 100 ms of steps"],
  thermalDrift: ["share", "how much more a hot GPU draws than a cold one"],
  thermalS: ["s", "time constant of warming and cooling"],
};

/** Of each figure that tells how an engine serves and draws, by the key that `--set` takes. */
export const settingMeanings: ReadonlyMap<string, SettingMeaning> = new Map(
  [
    ...Object.entries(engineMeanings),
    ...Object.entries(powerMeanings).map(([key, told]) => [`${POWER_PREFIX}${key}`, told] as const),
  ].map(([key, [unit, meaning]]) => [key, { unit, meaning }]),
);

/** A profile's figure, by the key that `--set` takes, as text. */
export function settingOf(profile: EngineProfile, key: string): string {
  const [group, name] = key.startsWith(POWER_PREFIX)
    ? [profile.power, key.slice(POWER_PREFIX.length)]
    : [profile, key];
  return String((group as unknown as Readonly<Record<string, unknown>>)[name]);
}
