import { isDecoding, type LiveSequence, takeChunk } from "./live-sequence.ts";

/** The sequences that run, in order of arrival, and the room that they have reserved. */
export class RunningBatch {
  /** Those that are gone stay until the next step is planned. */
  readonly #admitted: LiveSequence[] = [];
  #size = 0;
  #reservedTokens = 0;

  get size(): number {
    return this.#size;
  }

  get reservedTokens(): number {
    return this.#reservedTokens;
  }

  admit(sequence: LiveSequence): void {
    this.#admitted.push(sequence);
    sequence.state = "running";
    this.#size++;
    this.#reservedTokens += sequence.reservedTokens;
  }

  /** Frees its room at once. */
  release(sequence: LiveSequence): void {
    sequence.state = "gone";
    this.#size--;
    this.#reservedTokens -= sequence.reservedTokens;
  }

  /** How many decode in the next step and how much they attend to; forgets those that are gone. */
  planDecoding(): { decoding: number; contextTokens: number } {
    let kept = 0;
    let decoding = 0;
    let contextTokens = 0;
    for (const sequence of this.#admitted) {
      if (sequence.state === "gone") continue;
      this.#admitted[kept++] = sequence;
      if (!isDecoding(sequence)) continue;
      decoding++;
      contextTokens += sequence.promptTokens + sequence.producedTokens;
    }
    this.#admitted.length = kept;
    return { decoding, contextTokens };
  }

  /** Goes on with prompts, as far as there is room; how many tokens that takes. */
  planPrefill(roomTokens: number): number {
    let takenTokens = 0;
    for (const sequence of this.#admitted) {
      if (!isDecoding(sequence)) takenTokens += takeChunk(sequence, roomTokens - takenTokens);
    }
    return takenTokens;
  }

  /** Those that are not gone; each may be released while it is looked at. */
  forEach(look: (sequence: LiveSequence) => void): void {
    for (const sequence of this.#admitted) if (sequence.state === "running") look(sequence);
  }
}
