import type { EngineProfile, PowerProfile } from "./engine-profile.ts";

/** What all H100 profiles share; none of it is part of the fits below. */
const h100: Omit<PowerProfile, "gpuCount" | "decodeW" | "decodePerDoublingW"> = {
  gpuName: "SIMULATED H100 80GB HBM3",
  generation: "hopper",
  idleW: 120,
  awakeW: 165,
  awakeMs: 2000,
  prefillW: 680,
  limitW: 700,
  rampMs: 40,
  noise: 0.01,
  thermalDrift: 0,
  thermalS: 30,
};

/**
 * Llama 3.1 8B in BF16 on one H100. Step time and decode power are fitted to the joules per output
 * token of the ML.ENERGY leaderboard v3 (chat), within 7 % from batch 8 to 512; the time of the
 * chat's own short contexts is in that of a sequence, so contexts cost nothing more.
 */
const llama8b: EngineProfile = {
  summary: "8B model on one H100-like GPU; decode fitted to published J/token, the rest plausible",
  model: "sim-8b",
  contextTokens: 131_072,
  kvTokens: 412_000,
  maxRunning: 512,
  stepTokens: 8192,
  stepBaseMs: 6.7,
  stepPerSequenceMs: 0.09,
  stepPerKiloContextMs: 0,
  prefillTokensPerS: 30_000,
  gatherMs: 3,
  hasPrefixCache: true,
  draftTokens: 0,
  draftAcceptance: 0.7,
  naturalReplyTokens: 250,
  power: { ...h100, gpuCount: 1, decodeW: 384, decodePerDoublingW: 34 },
};

/** Llama 3.1 70B in BF16 on four H100, fitted as the 8B one, within 6 % from batch 16 to 1024. */
const llama70b: EngineProfile = {
  ...llama8b,
  summary:
    "70B model on four H100-like GPUs; decode fitted to published J/token, the rest plausible",
  model: "sim-70b",
  kvTokens: 424_000,
  maxRunning: 1024,
  stepBaseMs: 17,
  stepPerSequenceMs: 0.13,
  prefillTokensPerS: 9000,
  power: { ...h100, gpuCount: 4, decodeW: 320, decodePerDoublingW: 31.7 },
};

/** A small box at the edge. All of it is made up: there is no published figure behind it. */
const edge: EngineProfile = {
  ...llama8b,
  summary: "3B model on a small edge box; made up, there is no published figure behind it",
  model: "sim-3b",
  contextTokens: 8192,
  kvTokens: 65_536,
  maxRunning: 16,
  stepTokens: 2048,
  stepBaseMs: 45,
  stepPerSequenceMs: 4,
  stepPerKiloContextMs: 1,
  prefillTokensPerS: 900,
  power: {
    gpuCount: 1,
    gpuName: "SIMULATED Orin",
    generation: "jetson",
    idleW: 8,
    awakeW: 11,
    awakeMs: 2000,
    decodeW: 22,
    decodePerDoublingW: 2.5,
    prefillW: 36,
    limitW: 40,
    rampMs: 60,
    noise: 0.01,
    thermalDrift: 0,
    thermalS: 30,
  },
};

/** Steps of a few ms, for tests and demos. Made up too. */
const tiny: EngineProfile = {
  ...llama8b,
  summary: "tiny model with steps of a few ms, for tests and demos; made up",
  model: "sim-tiny",
  contextTokens: 16_384,
  kvTokens: 262_144,
  maxRunning: 256,
  stepBaseMs: 3,
  stepPerSequenceMs: 0.02,
  stepPerKiloContextMs: 0.01,
  prefillTokensPerS: 100_000,
  power: {
    gpuCount: 1,
    gpuName: "SIMULATED RTX 4090",
    generation: "ada",
    idleW: 60,
    awakeW: 80,
    awakeMs: 2000,
    decodeW: 150,
    decodePerDoublingW: 20,
    prefillW: 300,
    limitW: 320,
    rampMs: 30,
    noise: 0.01,
    thermalDrift: 0,
    thermalS: 30,
  },
};

/** Profiles by the name that `--profile` takes. */
export const namedProfiles: Readonly<Record<string, EngineProfile>> = {
  "8b-h100": llama8b,
  "70b-4xh100": llama70b,
  "3b-edge": edge,
  tiny,
};
