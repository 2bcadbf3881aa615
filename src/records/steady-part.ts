import type { RequestLine } from "./request-line.ts";

/** A part of a window, in ms on the clock of its segment. */
export interface WindowPart {
  readonly startMs: number;
  readonly endMs: number;
}

/** Lines that are kept at most until the first of every slot has ended. */
const MOST_WAITING = 50_000;

/** What different load threads report may be out of order by so many requests. */
const DISORDER = 64;

/**
 * Finds the steady part of a closed loop while its requests come by: from when all slots stream to
 * when the first slot can no longer be refilled.
 *
 * Lines come in the order in which requests ended, and are handed on in that order once it is known
 * where they lie. After the last request was sent no more than one request per slot can end, so
 * holding back two for each slot is enough, however many requests there are.
 */
export class SteadyPart {
  readonly #slots: number;
  readonly #use: (line: RequestLine, steadyStartMs: number | undefined) => void;
  #held: RequestLine[] = [];
  #firstsEnded = 0;
  /** When the latest of the slots' first requests began to stream. */
  #allStreamMs = Number.NEGATIVE_INFINITY;
  #isStartKnown = false;
  #lastSentMs = Number.NEGATIVE_INFINITY;

  /** @param use - told each line, in order; `finish` tells the ones that were held back. */
  constructor(slots: number, use: (line: RequestLine, steadyStartMs: number | undefined) => void) {
    this.#slots = slots;
    this.#use = use;
  }

  add(line: RequestLine): void {
    this.#held.push(line);
    this.#lastSentMs = Math.max(this.#lastSentMs, line.sentMs ?? line.startedMs);
    if (line.index < this.#slots) {
      this.#firstsEnded++;
      this.#allStreamMs = Math.max(this.#allStreamMs, line.firstTokenMs ?? line.endMs);
    }
    this.#isStartKnown ||= this.#firstsEnded >= this.#slots || this.#held.length >= MOST_WAITING;
    const keep = 2 * this.#slots + DISORDER;
    // In slices: taking one at a time from a long list would cost its length each time.
    if (this.#isStartKnown && this.#held.length >= 2 * keep) {
      for (const one of this.#held.splice(0, this.#held.length - keep))
        this.#use(one, this.#startMs);
    }
  }

  /**
   * Hands on what was held back.
   *
   * @param use - told each of those lines together with the steady part, if there is one.
   */
  finish(use: (line: RequestLine, part: WindowPart | undefined) => void): WindowPart | undefined {
    const endMs = this.#held.reduce(
      (least, line) => (line.endMs >= this.#lastSentMs ? Math.min(least, line.endMs) : least),
      Number.POSITIVE_INFINITY,
    );
    const startMs = this.#startMs;
    const part =
      startMs !== undefined && Number.isFinite(endMs) && endMs > startMs
        ? { startMs, endMs }
        : undefined;
    for (const line of this.#held) use(line, part);
    this.#held = [];
    return part;
  }

  get #startMs(): number | undefined {
    return Number.isFinite(this.#allStreamMs) ? this.#allStreamMs : undefined;
  }
}
