// @ts-check

/** Gives out a number of slots, in the order in which they were asked for. */
export class Slots {
  #free;
  /** @type {(() => void)[]} */
  #waiting = [];

  /** @param {number} count */
  constructor(count) {
    this.count = count;
    this.#free = count;
  }

  /** How many are taken, and how many wait for one. */
  status() {
    return { active: this.count - this.#free, queued: this.#waiting.length };
  }

  /**
   * @param {AbortSignal} signal - gives up the place in the queue.
   * @returns {Promise<() => void>} what gives the slot back; to be called once
   * @throws the signal's reason
   */
  async take(signal) {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#turn(signal);
    return () => {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    };
  }

  /**
   * @param {AbortSignal} signal
   * @returns {Promise<void>}
   */
  #turn(signal) {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#waiting = this.#waiting.filter((each) => each !== turn);
        reject(signal.reason);
      };
      const turn = () => {
        signal.removeEventListener("abort", giveUp);
        resolve();
      };
      this.#waiting.push(turn);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }
}
