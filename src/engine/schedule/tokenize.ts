import { BLOCK_TOKENS } from "./prefix-cache.ts";
import { tokenEnd } from "./token-end.ts";

/** A prompt as the scheduler needs it. */
export interface TokenizedPrompt {
  readonly promptTokens: number;
  /** Of each whole block of 16 tokens: 32 bits, signed, of all text up to the end of the block. */
  readonly blockHashes: readonly number[];
  /** Of all of it; 32 bits, unsigned. */
  readonly key: number;
}

/** Longest part that is taken for a special token. */
const MOST_SPECIAL_UNITS = 32;

/** Tokens of a text: about four characters each for English. No tokenizer of a real model. */
export function tokenizeText(text: string): TokenizedPrompt {
  return tokenizeParts([text]);
}

/**
 * Tokens of texts that follow each other, as a chat template puts them together: no token reaches
 * from one into the next, and a part like `<|user|>` is one token.
 */
export function tokenizeParts(parts: readonly string[]): TokenizedPrompt {
  const tokens = new TokenHashes();
  for (const part of parts) {
    const isSpecial =
      part.length <= MOST_SPECIAL_UNITS && part.startsWith("<|") && part.endsWith("|>");
    for (let start = 0; start < part.length; ) {
      const end = isSpecial ? part.length : tokenEnd(part, start);
      for (let i = start; i < end; i++) tokens.mix(part.charCodeAt(i));
      tokens.endToken();
      start = end;
    }
  }
  return tokens.prompt();
}

/** A prompt that comes as token ids. */
export function tokenizeIds(ids: readonly number[]): TokenizedPrompt {
  const tokens = new TokenHashes();
  for (const id of ids) {
    tokens.mix(id);
    tokens.endToken();
  }
  return tokens.prompt();
}

/** One hash that runs through all tokens (FNV-1a, stirred at the end of each). */
class TokenHashes {
  readonly #blockHashes: number[] = [];
  #hash = 0x811c9dc5 | 0;
  #tokens = 0;

  mix(unit: number): void {
    this.#hash = Math.imul(this.#hash ^ unit, 0x01000193);
  }

  endToken(): void {
    this.#hash = stirred(this.#hash);
    this.#tokens++;
    if (this.#tokens % BLOCK_TOKENS === 0) this.#blockHashes.push(this.#hash);
  }

  prompt(): TokenizedPrompt {
    const key = stirred(this.#hash) >>> 0;
    return { promptTokens: this.#tokens, blockHashes: this.#blockHashes, key };
  }
}

/** So that a token's end counts, and a change in the last token reaches every bit. */
function stirred(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
