import type { EngineProfile } from "../profiles/engine-profile.ts";
import type { LiveSequence } from "./live-sequence.ts";
import { BLOCK_TOKENS, PrefixCache } from "./prefix-cache.ts";

/** What the prefix cache spares of prompts, and how often it did; without one, nothing. */
export class PromptCache {
  readonly #cache: PrefixCache | undefined;
  #queryTokens = 0;
  #hitTokens = 0;

  constructor({ hasPrefixCache, kvTokens }: EngineProfile) {
    if (hasPrefixCache) this.#cache = new PrefixCache(Math.floor(kvTokens / BLOCK_TOKENS));
  }

  get queryTokens(): number {
    return this.#queryTokens;
  }

  get hitTokens(): number {
    return this.#hitTokens;
  }

  /** At least the last token of a prompt is computed: from it comes the first of the reply. */
  lookUp(sequence: LiveSequence): void {
    if (!this.#cache) return;
    const { promptTokens, asked } = sequence;
    const mostBlocks = Math.min(wholeBlocks(promptTokens - 1), asked.blockHashes.length);
    sequence.cachedTokens = this.#cache.use(asked.blockHashes, mostBlocks) * BLOCK_TOKENS;
    sequence.readyTokens = sequence.cachedTokens;
    this.#queryTokens += promptTokens;
    this.#hitTokens += sequence.cachedTokens;
  }

  /** The blocks that a step completed, which began with `fromTokens` of the prompt ready. */
  keep({ asked, readyTokens }: LiveSequence, fromTokens: number): void {
    const doneBlocks = Math.min(wholeBlocks(readyTokens), asked.blockHashes.length);
    this.#cache?.add(asked.blockHashes, wholeBlocks(fromTokens), doneBlocks);
  }
}

function wholeBlocks(tokens: number): number {
  return Math.floor(tokens / BLOCK_TOKENS);
}
