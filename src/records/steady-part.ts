import type { RequestLine } from "./request-line.ts";

/** A part of a window, in ms on the clock of its segment. */
export interface WindowPart {
  readonly startMs: number;
  readonly endMs: number;
}

/** Lines that are kept at most until the first request of every slot has ended. */
const MOST_WAITING = 50_000;

/**
 * Finds the steady part of a closed loop while its requests come by: from when all slots stream to
 * when the first slot can no longer be refilled.
 *
 * The start is when the last of the slots' first requests began to stream, or ended without that.
 * The end: of n requests in s slots the first n − s ends made room for another request, and the one
 * after those no longer did; it is the earliest of the s latest ends. So the lines with the s latest
 * ends are held back, however many requests there are, and whatever order they come in.
 */
export class SteadyPart {
  readonly #slots: number;
  readonly #use: (line: RequestLine, startMs: number) => void;
  readonly #mostWaiting: number;
  /** Those with the latest ends, in the order of their ends; at most one for each slot. */
  readonly #latest: RequestLine[] = [];
  /** Those that lie before the end, while the start is not known. */
  #waiting: RequestLine[] = [];
  readonly #firsts = new Set<number>();
  #allStreamMs = Number.NEGATIVE_INFINITY;
  #isLost = false;

  /** @param use - told each line that ends within the steady part or before it. */
  constructor(
    slots: number,
    use: (line: RequestLine, startMs: number) => void,
    mostWaiting: number = MOST_WAITING,
  ) {
    this.#slots = slots;
    this.#use = use;
    this.#mostWaiting = mostWaiting;
  }

  add(line: RequestLine): void {
    if (this.#isLost) return;
    if (line.index < this.#slots) {
      this.#firsts.add(line.index);
      this.#allStreamMs = Math.max(this.#allStreamMs, line.firstTokenMs ?? line.endMs);
    }
    const place = this.#latest.findLastIndex(({ endMs }) => endMs <= line.endMs) + 1;
    this.#latest.splice(place, 0, line);
    if (this.#latest.length > this.#slots) this.#waiting.push(this.#latest.shift()!);
    if (this.#firsts.size === this.#slots) this.#handOn();
    else if (this.#waiting.length > this.#mostWaiting) this.#lose();
  }

  /**
   * Hands on what was held back.
   *
   * @param use - told each of those lines, which reach to the end of the steady part or past it.
   * @returns `undefined` where the slots never all streamed before one ran out of requests.
   */
  finish(use: (line: RequestLine, part: WindowPart) => void): WindowPart | undefined {
    const endMs = this.#latest[0]?.endMs;
    if (this.#firsts.size < this.#slots || endMs === undefined) return undefined;
    const part = { startMs: this.#allStreamMs, endMs };
    if (!(part.endMs > part.startMs)) return undefined;
    for (const line of this.#latest) use(line, part);
    return part;
  }

  #handOn(): void {
    for (const line of this.#waiting) this.#use(line, this.#allStreamMs);
    if (this.#waiting.length > 0) this.#waiting = [];
  }

  /** A slot whose first request hangs has no steady part, and memory has an end. */
  #lose(): void {
    this.#isLost = true;
    this.#firsts.clear();
    this.#waiting = [];
    this.#latest.length = 0;
  }
}
