// @ts-check
import { setImmediate as nextTurn } from "node:timers/promises";

/** @typedef {import("./llama-node.mjs").LlamaParallel} LlamaParallel */

/** How long a batch shall take, in ms: longer than this thread is likely to be kept from its core. */
const BATCH_MS = 20;
const MOST_TOKENS = 256;
const WORD = "a ";

/**
 * Ends generations, each at a moment when the engine's own thread computes a batch.
 *
 * The package ends one at once, and takes no lock for it, as it does for all else: where that met the
 * engine between two batches, its memory was spoilt, and about 1 cancel in 1000 ended the process
 * (1.7.15). So a prompt of its own makes a batch long, and its status tells when the batch has begun.
 * It takes a slot beside those of the requests.
 */
export class Cancels {
  #parallel;
  #prompt;
  /** @type {Set<() => void>} */
  #stops = new Set();
  #isRunning = false;

  /**
   * @param {LlamaParallel} parallel
   * @param {number} tokens - of its prompt.
   */
  constructor(parallel, tokens) {
    this.#parallel = parallel;
    this.#prompt = WORD.repeat(tokens);
  }

  /**
   * Finds out how long the prompt has to be.
   *
   * @param {LlamaParallel} parallel - without requests.
   */
  static async open(parallel) {
    const prompt = WORD.repeat(MOST_TOKENS);
    const { promise } = await parallel.completion({ prompt, n_predict: 1 }, () => {});
    const { prompt_ms, prompt_n } = (await promise).timings;
    const tokens = Math.ceil(BATCH_MS / (prompt_ms / prompt_n));
    return new Cancels(parallel, Math.min(tokens, MOST_TOKENS));
  }

  /** @param {() => void} stop - is called soon, unless it is taken back before. */
  add(stop) {
    this.#stops.add(stop);
    if (!this.#isRunning) void this.#run();
  }

  /** @param {() => void} stop */
  takeBack(stop) {
    this.#stops.delete(stop);
  }

  async #run() {
    this.#isRunning = true;
    while (this.#stops.size > 0) {
      const options = { prompt: this.#prompt, n_predict: 1 };
      const { requestId, promise } = await this.#parallel.completion(options, () => {});
      if (await this.#hasBegun(requestId)) {
        for (const stop of this.#stops) stop();
        this.#stops.clear();
      }
      await promise;
    }
    this.#isRunning = false;
  }

  /**
   * Waits for the batch with the end of the prompt.
   *
   * @param {number} requestId
   * @returns {Promise<boolean>} false when it was over before it was seen
   */
  async #hasBegun(requestId) {
    for (;;) {
      const { requests } = this.#parallel.getStatus();
      const own = requests.find(({ request_id }) => request_id === requestId);
      if (own === undefined) return false;
      if (own.state === "generating") return own.tokens_generated === 0;
      await nextTurn();
    }
  }
}
