/** When one sequence's tokens were sent, in ns since the engine's origin. */
export interface SequenceLog {
  readonly id: number;
  /** `id` of its reply, as the client saw it. */
  readonly replyId: string;
  readonly choice: number;
  readonly promptTokens: number;
  cachedTokens: number;
  readonly arrivedNs: number;
  /** One entry for each token event: just before it was written. */
  readonly sentNs: number[];
  /** One entry for each token event: when the schedule had it. */
  readonly dueNs: number[];
  /** One entry for each token event: its tokens. */
  readonly tokens: number[];
  end: string | undefined;
}

/** Enough for an hour of a busy engine, and bounded: about 24 bytes each. */
const MOST_EVENTS = 4_000_000;

/** A sequence takes as much room as so many events, also without any. */
const SEQUENCE_EVENTS = 16;

/** The send times of token events, as many of the latest as there is room for. */
export class TokenLog {
  readonly #mostEvents: number;
  readonly #sequences = new Map<number, SequenceLog>();
  #events = 0;
  #forgottenNs = 0;
  #forgotten = 0;

  constructor(mostEvents: number = MOST_EVENTS) {
    this.#mostEvents = mostEvents;
  }

  /** Events up to this time may have been dropped; all that came later are here. */
  get forgottenNs(): number {
    return this.#forgottenNs;
  }

  /** Sequences that were dropped. */
  get forgotten(): number {
    return this.#forgotten;
  }

  open(start: Omit<SequenceLog, "sentNs" | "dueNs" | "tokens" | "end" | "cachedTokens">): void {
    const log = { ...start, cachedTokens: 0, sentNs: [], dueNs: [], tokens: [], end: undefined };
    this.#sequences.set(start.id, log);
    this.#grow(SEQUENCE_EVENTS);
  }

  sent(id: number, tokens: number, dueNs: number, sentNs: number, cachedTokens: number): void {
    const log = this.#sequences.get(id);
    if (!log) return;
    log.cachedTokens = cachedTokens;
    log.sentNs.push(sentNs);
    log.dueNs.push(dueNs);
    log.tokens.push(tokens);
    this.#grow(1);
  }

  end(id: number, how: string): void {
    const log = this.#sequences.get(id);
    if (log) log.end ??= how;
  }

  /** In the order of arrival. @param fromId - only this one and later ones. */
  sequences(fromId = 0): SequenceLog[] {
    return [...this.#sequences.values()].filter(({ id }) => id >= fromId);
  }

  /**
   * What was sent from `startNs` up to, but not at, `endNs`.
   *
   * @throws {RangeError} where some of it may have been dropped.
   */
  count(startNs: number, endNs: number): { events: number; tokens: number } {
    if (startNs <= this.#forgottenNs && this.#forgotten > 0) {
      throw new RangeError(`token events before ${this.#forgottenNs} ns are forgotten`);
    }
    let events = 0;
    let tokens = 0;
    for (const { sentNs, tokens: counts } of this.#sequences.values()) {
      for (let i = firstAtOrAfter(sentNs, startNs); i < sentNs.length && sentNs[i]! < endNs; i++) {
        events++;
        tokens += counts[i]!;
      }
    }
    return { events, tokens };
  }

  #grow(events: number): void {
    this.#events += events;
    if (this.#events <= this.#mostEvents) return;
    for (const log of this.#sequences.values()) {
      if (log.end === undefined) continue;
      this.#sequences.delete(log.id);
      this.#forgotten++;
      this.#events -= log.sentNs.length + SEQUENCE_EVENTS;
      this.#forgottenNs = Math.max(this.#forgottenNs, log.sentNs.at(-1) ?? 0);
      if (this.#events <= this.#mostEvents * 0.9) return;
    }
  }
}

function firstAtOrAfter(times: readonly number[], atNs: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! < atNs) low = middle + 1;
    else high = middle;
  }
  return low;
}
