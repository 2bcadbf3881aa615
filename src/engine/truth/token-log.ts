/** When one sequence's tokens were sent, in ns since the engine's origin. */
export interface SequenceLog extends SequenceStart {
  readonly cachedTokens: number;
  /** One entry for each token event: just before it was written. */
  readonly sentNs: readonly number[];
  /** One entry for each token event: when the schedule had it. */
  readonly dueNs: readonly number[];
  /** One entry for each token event: its tokens. */
  readonly tokens: readonly number[];
  readonly end: string | undefined;
}

/** What is known of a sequence before its first token. */
export interface SequenceStart {
  readonly id: number;
  /** `id` of its reply, as the client saw it. */
  readonly replyId: string;
  readonly choice: number;
  readonly promptTokens: number;
  readonly arrivedNs: number;
}

interface Kept {
  readonly start: SequenceStart;
  cachedTokens: number;
  /** Of each event the time it was sent, the time it was due, and its tokens, one after the other. */
  events: number[] | Float64Array;
  end: string | undefined;
}

/** Numbers that an event takes. */
const WIDTH = 3;

/** Enough for a minute of a thousand streams, and bounded: 24 bytes each. */
const MOST_EVENTS = 3_000_000;

/** A sequence takes as much room as so many events, also without any: about 1.5 kB (measured). */
const SEQUENCE_EVENTS = 64;

/** The send times of token events, as many of the latest as there is room for. */
export class TokenLog {
  readonly #mostEvents: number;
  readonly #sequences = new Map<number, Kept>();
  #room = 0;
  #forgottenNs = 0;
  #forgotten = 0;

  constructor(mostEvents: number = MOST_EVENTS) {
    this.#mostEvents = mostEvents;
  }

  /** Events up to this time may have been dropped; all that came later are here. */
  get forgottenNs(): number {
    return this.#forgottenNs;
  }

  /** From when on every event is here. */
  get knownFromNs(): number {
    return this.#forgotten > 0 ? this.#forgottenNs + 1 : 0;
  }

  /** Sequences that were dropped. */
  get forgotten(): number {
    return this.#forgotten;
  }

  open(start: SequenceStart): void {
    this.#sequences.set(start.id, { start, cachedTokens: 0, events: [], end: undefined });
    this.#grow(SEQUENCE_EVENTS);
  }

  sent(id: number, tokens: number, dueNs: number, sentNs: number, cachedTokens: number): void {
    const kept = this.#sequences.get(id);
    if (!kept || !Array.isArray(kept.events)) return;
    kept.cachedTokens = cachedTokens;
    kept.events.push(sentNs, dueNs, tokens);
    this.#grow(1);
  }

  end(id: number, how: string): void {
    const kept = this.#sequences.get(id);
    if (!kept || kept.end !== undefined) return;
    kept.end = how;
    // A list that grew has room for more: what will not grow any more gives it back.
    kept.events = Float64Array.from(kept.events);
  }

  /** In the order of arrival. @param fromId - only this one and later ones. */
  *sequences(fromId = 0): Generator<SequenceLog> {
    for (const kept of this.#sequences.values()) if (kept.start.id >= fromId) yield shown(kept);
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
    for (const { events: all } of this.#sequences.values()) {
      for (let i = firstAtOrAfter(all, startNs); i < all.length && all[i]! < endNs; i += WIDTH) {
        events++;
        tokens += all[i + 2]!;
      }
    }
    return { events, tokens };
  }

  #grow(events: number): void {
    this.#room += events;
    if (this.#room <= this.#mostEvents) return;
    for (const { start, events: all, end } of this.#sequences.values()) {
      if (end === undefined) continue;
      this.#sequences.delete(start.id);
      this.#forgotten++;
      this.#room -= all.length / WIDTH + SEQUENCE_EVENTS;
      this.#forgottenNs = Math.max(this.#forgottenNs, all[all.length - WIDTH] ?? 0);
      if (this.#room <= this.#mostEvents * 0.9) return;
    }
  }
}

function shown({ start, cachedTokens, events, end }: Kept): SequenceLog {
  const column = (place: number): number[] =>
    Array.from({ length: events.length / WIDTH }, (_, i) => events[i * WIDTH + place]!);
  return {
    ...start,
    cachedTokens,
    sentNs: column(0),
    dueNs: column(1),
    tokens: column(2),
    end,
  };
}

/** Place of the first event that was sent at `atNs` or later. */
function firstAtOrAfter(events: ArrayLike<number>, atNs: number): number {
  let low = 0;
  let high = events.length / WIDTH;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (events[middle * WIDTH]! < atNs) low = middle + 1;
    else high = middle;
  }
  return low * WIDTH;
}
