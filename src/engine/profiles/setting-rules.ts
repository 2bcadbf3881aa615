import type { EngineProfile, GpuGeneration, PowerProfile } from "./engine-profile.ts";
import {
  countFrom,
  flag,
  numberFrom,
  oneOf,
  positiveNumber,
  share,
  textLike,
  type ValueRule,
} from "./value-rules.ts";

/** Most GPUs that one simulated engine serves from. */
const MOST_GPUS = 16;

const oneLine = textLike("a text of one line", /^[^\r\n]*\S[^\r\n]*$/);

/** `nvidia-smi` prints it into a CSV line, and what is simulated has to say so. */
const gpuName = textLike(
  "a name that begins with SIMULATED, without commas and quotes",
  /^SIMULATED\b[^,"\r\n]*$/,
);

const generations: Readonly<Record<GpuGeneration, true>> = {
  hopper: true,
  ada: true,
  ampere: true,
  ga100: true,
  turing: true,
  volta: true,
  jetson: true,
};

const engineRules: Readonly<Record<Exclude<keyof EngineProfile, "power">, ValueRule>> = {
  summary: oneLine,
  model: oneLine,
  contextTokens: countFrom(1),
  kvTokens: countFrom(1),
  maxRunning: countFrom(1),
  stepTokens: countFrom(1),
  stepBaseMs: numberFrom(0),
  stepPerSequenceMs: numberFrom(0),
  stepPerKiloContextMs: numberFrom(0),
  prefillTokensPerS: positiveNumber,
  gatherMs: numberFrom(0),
  hasPrefixCache: flag,
  draftTokens: countFrom(0),
  draftAcceptance: share,
  naturalReplyTokens: countFrom(1),
};

const powerRules: Readonly<Record<keyof PowerProfile, ValueRule>> = {
  gpuCount: countFrom(1, MOST_GPUS),
  gpuName,
  generation: oneOf(...Object.keys(generations)),
  idleW: numberFrom(0),
  awakeW: numberFrom(0),
  awakeMs: numberFrom(0),
  decodeW: numberFrom(0),
  decodePerDoublingW: numberFrom(0),
  prefillW: numberFrom(0),
  limitW: positiveNumber,
  rampMs: numberFrom(0),
  noise: share,
  thermalDrift: share,
  thermalS: positiveNumber,
};

/** What stands before the keys of the power profile. */
export const POWER_PREFIX = "power.";

/** What each setting of a profile takes, by its key; those of the power profile behind `power.`. */
export const settingRules: ReadonlyMap<string, ValueRule> = new Map([
  ...Object.entries(engineRules),
  ...Object.entries(powerRules).map(([key, rule]) => [`${POWER_PREFIX}${key}`, rule] as const),
]);
