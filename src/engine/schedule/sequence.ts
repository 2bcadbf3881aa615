/** One prompt that asks for one reply, as the scheduler needs it. */
export interface NewSequence {
  /** Given in the order of arrival; never twice. */
  readonly id: number;
  /** From this its random draws come. */
  readonly key: number;
  readonly promptTokens: number;
  /** Of each whole block of the prompt; each stands for all blocks before it too. */
  readonly blockHashes: readonly number[];
  /** At how many tokens the reply ends; at least 1. */
  readonly replyTokens: number;
}

/** What one step of the engine does. */
export interface StepPlan {
  /** Sequences that decode. */
  readonly decoding: number;
  /** Prompt tokens that are computed, without those that the cache had. */
  readonly prefillTokens: number;
  /** Context of all sequences that decode. */
  readonly contextTokens: number;
  /** At full clocks. */
  readonly durationMs: number;
  /** Share of it that goes into prefill, 0 to 1. */
  readonly prefillShare: number;
  /** Sequences that waited until this step. */
  readonly admitted: readonly number[];
}

/** What a step did for one sequence that has new tokens by it. */
export interface SequenceProgress {
  readonly id: number;
  /** New tokens; more than one where drafts were taken. */
  readonly tokens: number;
  /** Place of the first of them in the reply, from 0. */
  readonly firstToken: number;
  readonly draftTokens: number;
  readonly acceptedDraftTokens: number;
  /** Prompt tokens that the cache had. */
  readonly cachedTokens: number;
  readonly isLast: boolean;
}

/** What the scheduler holds now, and what it has done. */
export interface ScheduleCounts {
  readonly waiting: number;
  readonly running: number;
  readonly kvTokens: number;
  readonly cacheQueryTokens: number;
  readonly cacheHitTokens: number;
  readonly draftTokens: number;
  readonly acceptedDraftTokens: number;
}
