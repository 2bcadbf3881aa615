// @ts-check

/**
 * Lets text through up to the first of some stops; what may yet become one waits inside.
 */
export class StopText {
  /** @type {readonly string[]} */
  #stops;
  #held = "";
  #isStopped = false;

  /** @param {readonly string[]} stops - none of them empty. */
  constructor(stops) {
    this.#stops = stops;
  }

  /** Whether a stop has come: nothing gets through any more. */
  get isStopped() {
    return this.#isStopped;
  }

  /**
   * @param {string} text
   * @returns {string} what is certain to come before any stop; may be empty
   */
  push(text) {
    if (this.#isStopped) return "";
    const all = this.#held + text;
    const start = this.#firstStop(all);
    this.#isStopped = start !== undefined;
    const end = start ?? all.length - this.#openEnd(all);
    this.#held = this.#isStopped ? "" : all.slice(end);
    return all.slice(0, end);
  }

  /** @returns {string} what was held, when nothing more comes that could make it a stop */
  end() {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }

  /**
   * Where the stop begins that is complete first, as if the text came letter by letter.
   *
   * @param {string} text
   * @returns {number | undefined}
   */
  #firstStop(text) {
    const found = this.#stops.flatMap((stop) => {
      const start = text.indexOf(stop);
      return start < 0 ? [] : [{ start, end: start + stop.length }];
    });
    return found.sort((a, b) => a.end - b.end || a.start - b.start)[0]?.start;
  }

  /**
   * How many characters at the end of a text are the beginning of a stop.
   *
   * @param {string} text
   */
  #openEnd(text) {
    const longest = Math.max(0, ...this.#stops.map((stop) => stop.length - 1));
    for (let length = Math.min(longest, text.length); length > 0; length--) {
      const end = text.slice(-length);
      if (this.#stops.some((stop) => stop.startsWith(end))) return length;
    }
    return 0;
  }
}
