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
 *
 * With a step the part is the longest whole multiple of it that fits, from the start on: a window of
 * k averaging times is read off a sensor that averages, without a model of its edges. The beginning
 * is kept, since it is known while requests come by, and lies farther from where they thin out. Then
 * lines are held back too that end less than a step before the end: it may be cut before them.
 */
export class SteadyPart {
  readonly #slots: number;
  readonly #use: (line: RequestLine, startMs: number) => void;
  readonly #mostWaiting: number;
  readonly #stepMs: number | undefined;
  /** Those with the latest ends, in the order of their ends; at most one for each slot. */
  readonly #latest: RequestLine[] = [];
  /** Those that lie before the end, while the start is not known, or a step may end before them. */
  #waiting: RequestLine[] = [];
  readonly #firsts = new Set<number>();
  #allStreamMs = Number.NEGATIVE_INFINITY;
  /** The end at which those that wait were last looked at. */
  #reachedMs = Number.NEGATIVE_INFINITY;
  #isLost = false;

  /**
   * @param use - told each line that ends within the steady part or before it.
   * @param limits.stepMs - the part is a whole multiple of it; above 0.
   */
  constructor(
    slots: number,
    use: (line: RequestLine, startMs: number) => void,
    limits: { readonly stepMs?: number | undefined; readonly mostWaiting?: number } = {},
  ) {
    const { stepMs, mostWaiting = MOST_WAITING } = limits;
    this.#slots = slots;
    this.#use = use;
    this.#mostWaiting = mostWaiting;
    this.#stepMs = stepMs;
  }

  add(line: RequestLine): void {
    if (this.#isLost) return;
    if (line.index < this.#slots) {
      this.#firsts.add(line.index);
      this.#allStreamMs = Math.max(this.#allStreamMs, line.firstTokenMs ?? line.endMs);
    }
    const place = this.#latest.findLastIndex(({ endMs }) => endMs <= line.endMs) + 1;
    this.#latest.splice(place, 0, line);
    const over = this.#latest.length > this.#slots ? this.#latest.shift()! : undefined;
    if (over) this.#waiting.push(over);
    if (this.#firsts.size === this.#slots) this.#handOn(over);
    if (this.#waiting.length > this.#mostWaiting) this.#lose();
  }

  /**
   * Hands on what was held back.
   *
   * @param use - told each of those lines, which reach to the end of the steady part or past it.
   * @returns `undefined` where the slots never all streamed before one ran out of requests.
   */
  finish(use: (line: RequestLine, part: WindowPart) => void): WindowPart | undefined {
    if (this.#firsts.size < this.#slots || this.#latest.length === 0) return undefined;
    const part = { startMs: this.#allStreamMs, endMs: this.#endMs };
    if (!(part.endMs > part.startMs)) return undefined;
    for (const line of this.#waiting) use(line, part);
    for (const line of this.#latest) use(line, part);
    return part;
  }

  /** The end by what has come so far; no later line moves it back. */
  get #endMs(): number {
    const dryMs = this.#latest[0]!.endMs;
    if (this.#stepMs === undefined) return dryMs;
    const startMs = this.#allStreamMs;
    return startMs + Math.max(0, Math.floor((dryMs - startMs) / this.#stepMs)) * this.#stepMs;
  }

  /** @param over - the line that came to wait just now: the others were looked at before. */
  #handOn(over: RequestLine | undefined): void {
    const endMs = this.#endMs;
    if (endMs > this.#reachedMs) {
      this.#reachedMs = endMs;
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const line of waiting) this.#useOrKeep(line, endMs);
    } else if (over && over.endMs <= endMs) {
      this.#waiting.pop();
      this.#use(over, this.#allStreamMs);
    }
  }

  #useOrKeep(line: RequestLine, endMs: number): void {
    if (line.endMs > endMs) this.#waiting.push(line);
    else this.#use(line, this.#allStreamMs);
  }

  /** A slot whose first request hangs has no steady part, and memory has an end. */
  #lose(): void {
    this.#isLost = true;
    this.#firsts.clear();
    this.#waiting = [];
    this.#latest.length = 0;
  }
}
