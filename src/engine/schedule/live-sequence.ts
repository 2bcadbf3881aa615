import type { NewSequence } from "./sequence.ts";

/** A sequence from its arrival until it ends or its client goes. */
export interface LiveSequence {
  readonly asked: NewSequence;
  /** At least 1: an empty prompt is the begin-of-text token alone. */
  readonly promptTokens: number;
  /** Of the running ones' room: prompt and whole reply. */
  readonly reservedTokens: number;
  state: "waiting" | "running" | "gone";
  /** Prompt tokens that need no more prefill: computed, or found in the cache. */
  readyTokens: number;
  /** Prompt tokens that the step which has begun computes. */
  chunkTokens: number;
  cachedTokens: number;
  /** Tokens of the reply so far. */
  producedTokens: number;
}

/** @throws {RangeError} when it asks for no reply, or for parts of tokens. */
export function liveSequence(asked: NewSequence): LiveSequence {
  const { id, replyTokens } = asked;
  const promptTokens = Math.max(1, asked.promptTokens);
  if (!(Number.isSafeInteger(promptTokens) && Number.isSafeInteger(replyTokens) && replyTokens > 0))
    throw new RangeError(
      `sequence ${id}: ${promptTokens} prompt and ${replyTokens} reply tokens are no whole counts ≥ 1`,
    );
  return {
    asked,
    promptTokens,
    reservedTokens: promptTokens + replyTokens,
    state: "waiting",
    readyTokens: 0,
    chunkTokens: 0,
    cachedTokens: 0,
    producedTokens: 0,
  };
}

/** Its prompt is prefilled: each step gives it tokens. */
export function isDecoding({ readyTokens, promptTokens }: LiveSequence): boolean {
  return readyTokens === promptTokens;
}

/** Takes as much of the prompt into the step as there is room for. */
export function takeChunk(sequence: LiveSequence, roomTokens: number): number {
  const restTokens = sequence.promptTokens - sequence.readyTokens;
  sequence.chunkTokens = Math.min(Math.max(0, roomTokens), restTokens);
  return sequence.chunkTokens;
}
