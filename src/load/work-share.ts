const NEXT = 0;
const STOPPED = 1;

/**
 * How the threads of one run share its requests: one counter that all of them take from, so that
 * each request is sent exactly once, whichever thread is free.
 */
export class WorkShare {
  /** Crosses threads as it is. */
  readonly memory: SharedArrayBuffer;
  readonly #cells: Int32Array;
  readonly #total: number;

  /** @param total - how many requests there are; Infinity when only time ends the run. */
  constructor(total: number, memory: SharedArrayBuffer = new SharedArrayBuffer(8)) {
    this.memory = memory;
    this.#cells = new Int32Array(memory);
    this.#total = total;
  }

  /** The next request's number, from 0 on; `undefined` when there is none left, or `stop` was called. */
  take(): number | undefined {
    if (Atomics.load(this.#cells, STOPPED) === 1) return undefined;
    const index = Atomics.add(this.#cells, NEXT, 1);
    return index < this.#total ? index : undefined;
  }

  /** No further request is given out, to any thread. */
  stop(): void {
    Atomics.store(this.#cells, STOPPED, 1);
  }

  get isStopped(): boolean {
    return Atomics.load(this.#cells, STOPPED) === 1;
  }

  /** How many requests were given out. */
  get taken(): number {
    return Math.min(Atomics.load(this.#cells, NEXT), this.#total);
  }
}
