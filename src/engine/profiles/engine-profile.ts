/** How a simulated engine serves, and what its GPUs draw while it does. */
export interface EngineProfile {
  /** One line for people: what it resembles. */
  readonly summary: string;
  /** As `/v1/models` lists it. */
  readonly model: string;
  /** Longest prompt and reply together, in tokens. */
  readonly contextTokens: number;
  /** Room for the contexts of all running sequences together, in tokens. */
  readonly kvTokens: number;
  /** Most sequences in one step. */
  readonly maxRunning: number;
  /** Most tokens that one step takes, decoded and prefilled together (chunked prefill). */
  readonly stepTokens: number;
  /** Time of a decode step, without what follows, in ms. */
  readonly stepBaseMs: number;
  /** More of it for each sequence that decodes. */
  readonly stepPerSequenceMs: number;
  /** More of it for each 1,000 tokens of context that are attended to. */
  readonly stepPerKiloContextMs: number;
  readonly prefillTokensPerS: number;
  /** How long an engine that idles waits for more requests before its first step, in ms. */
  readonly gatherMs: number;
  /** Whole blocks of a prompt that were seen before are not prefilled again. */
  readonly hasPrefixCache: boolean;
  /** Tokens that a draft model proposes in each step; 0 without speculation. */
  readonly draftTokens: number;
  /** Chance of each draft token to be taken, given those before it were, 0 to 1. */
  readonly draftAcceptance: number;
  /** Median length of replies that end by themselves, in tokens. */
  readonly naturalReplyTokens: number;
  readonly power: PowerProfile;
}

/** What the GPUs draw; in W for each GPU. */
export interface PowerProfile {
  /** GPUs that serve together and draw alike. */
  readonly gpuCount: number;
  /** As `nvidia-smi` prints it; begins with SIMULATED. */
  readonly gpuName: string;
  /** Which sensor the GPUs have, by generation. */
  readonly generation: GpuGeneration;
  /** Model loaded, nothing to do. */
  readonly idleW: number;
  /** For a while after the last step, while the clocks are still up. */
  readonly awakeW: number;
  readonly awakeMs: number;
  /** Decoding one sequence. */
  readonly decodeW: number;
  /** More for each doubling of the sequences that decode. */
  readonly decodePerDoublingW: number;
  /** Prefill that fills the step. */
  readonly prefillW: number;
  /** Above it the clocks are lowered: the power stays here and steps take longer. */
  readonly limitW: number;
  /** Time constant with which power rises when a sleeping GPU begins to work, in ms; 0: at once. */
  readonly rampMs: number;
  /** Half-width of the random part, as a share of the power; drawn anew by the step after 100 ms of steps. */
  readonly noise: number;
  /** How much more a GPU draws when it is hot than when it is cold, as a share; 0: none. */
  readonly thermalDrift: number;
  /** Time constant of warming and cooling, in s. */
  readonly thermalS: number;
}

/** Sensors differ by generation in what they average, and in which fields they have at all. */
export type GpuGeneration = "hopper" | "ada" | "ampere" | "ga100" | "turing" | "volta" | "jetson";
