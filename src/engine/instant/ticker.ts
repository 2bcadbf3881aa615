/** Something that is due again and again, until it says that it is done. */
export interface Ticking {
  readonly everyMs: number;
  nextMs: number;
  /** @returns whether there is more to do. */
  tick(): boolean;
}

/** How early the loop may run what is due, in ms: timers are whole milliseconds. */
const EARLY_MS = 0.5;

/** One loop for thousands of things that are due: no timer for each. */
export class Ticker {
  /** What is due, by whole milliseconds. */
  readonly #buckets = new Map<number, Ticking[]>();
  #timer: NodeJS.Timeout | undefined;
  #atMs = 0;

  add(ticking: Ticking): void {
    const isIdle = this.#timer === undefined;
    if (isIdle) this.#atMs = Math.floor(performance.now());
    // What is due in a millisecond that has been dealt with already comes in the next one.
    const place = Math.max(Math.floor(ticking.nextMs), this.#atMs);
    const bucket = this.#buckets.get(place);
    if (bucket) bucket.push(ticking);
    else this.#buckets.set(place, [ticking]);
    if (isIdle) this.#schedule();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#buckets.clear();
  }

  #schedule(): void {
    this.#timer = setTimeout(() => this.#run(), 1);
  }

  #run(): void {
    const untilMs = Math.floor(performance.now() + EARLY_MS);
    for (; this.#atMs <= untilMs; this.#atMs++) {
      const bucket = this.#buckets.get(this.#atMs);
      if (bucket === undefined) continue;
      this.#buckets.delete(this.#atMs);
      for (const ticking of bucket) {
        if (!ticking.tick()) continue;
        // From when it was due, not from now: a late tick must not shift the ones behind it.
        ticking.nextMs = Math.max(ticking.nextMs + ticking.everyMs, this.#atMs + 1);
        this.add(ticking);
      }
    }
    if (this.#buckets.size > 0) this.#schedule();
    else this.#timer = undefined;
  }
}
