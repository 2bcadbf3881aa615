import type { LiveSequence } from "./live-sequence.ts";

/** How many places may be empty at the front before they are given back. */
const MOST_EMPTY = 1024;

/** Sequences that wait, in order of arrival; those that are gone are passed over. */
export class WaitingLine {
  readonly #line: LiveSequence[] = [];
  #front = 0;

  push(sequence: LiveSequence): void {
    this.#line.push(sequence);
  }

  first(): LiveSequence | undefined {
    while (this.#line[this.#front]?.state === "gone") this.takeFirst();
    return this.#line[this.#front];
  }

  /** Takes away what `first` gave. Moving all others up each time would make a long line slow. */
  takeFirst(): void {
    this.#front++;
    const isWorthIt = this.#front >= MOST_EMPTY && this.#front * 2 >= this.#line.length;
    if (!isWorthIt && this.#front < this.#line.length) return;
    this.#line.splice(0, this.#front);
    this.#front = 0;
  }
}
