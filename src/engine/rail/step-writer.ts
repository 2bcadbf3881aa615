import { closeSync, openSync, renameSync, writeSync } from "node:fs";

/** At this size a file is replaced by a short one. */
const MOST_BYTES = 4_000_000;

/** What a replacement takes over: more than the longest window of a sensor. */
const KEPT_NS = 3e9;

/** Of what could not be written, only so much is kept for another try. */
const MOST_WAITING_LINES = 2000;

const FORGET_EVERY = 1000;

interface Line {
  readonly atNs: number;
  readonly text: string;
}

export interface StepWriterOptions {
  /** The engine's time 0 on the machine's monotonic clock. */
  readonly originNs: bigint;
  /** At and above it the GPU is capped. */
  readonly limitW: number;
  /** 4,000,000 unless a test wants to see it happen. */
  readonly mostBytes?: number;
}

/**
 * Appends what one GPU draws to a steps file of the stand-in.
 *
 * A line has about 65 bytes, so 100 segments a second are 23 MB an hour; a file never exceeds
 * 4 MB, since another with its last three seconds is then renamed to its place.
 */
export class StepWriter {
  readonly #path: string;
  readonly #options: StepWriterOptions;
  #descriptor: number;
  #bytes = 0;
  #recent: Line[] = [];
  /** Not written yet; after a failure it may begin inside a line. */
  #waiting: string[] = [];
  #powerW: number | undefined;
  #atNs = 0;
  #isCapped = false;
  #cappedNs = 0;

  constructor(path: string, options: StepWriterOptions) {
    this.#path = path;
    this.#options = options;
    this.#descriptor = openSync(path, "w");
  }

  /** Notes that the GPU draws this from then on; nothing, if it does so already. */
  add(atNs: number, powerW: number, isHeldDown: boolean): void {
    const isCapped = isHeldDown && powerW >= this.#options.limitW;
    if (powerW === this.#powerW && isCapped === this.#isCapped) return;
    if (this.#isCapped) this.#cappedNs += atNs - this.#atNs;
    this.#powerW = powerW;
    this.#atNs = atNs;
    this.#isCapped = isCapped;
    const step = {
      atNs: String(this.#options.originNs + BigInt(Math.round(atNs))),
      powerW,
      cappedUs: Math.round(this.#cappedNs / 1000),
    };
    const text = `${JSON.stringify(step)}\n`;
    this.#recent.push({ atNs, text });
    if (this.#recent.length % FORGET_EVERY === 0) this.#forget();
    this.#waiting.push(text);
  }

  /** Writes what waits. @throws {Error} of the file system; then it waits on. */
  flush(): void {
    if (this.#waiting.length === 0) return;
    if (this.#waiting.length > MOST_WAITING_LINES) {
      this.#waiting.splice(1, this.#waiting.length - MOST_WAITING_LINES);
    }
    const bytes = Buffer.from(this.#waiting.join(""), "latin1");
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(this.#descriptor, bytes, written);
      this.#waiting = [];
    } catch (error) {
      // What is there half is finished by the next try, so that no line is ever torn for good.
      if (written > 0) this.#waiting = bytes.toString("latin1", written).split(/(?<=\n)/);
      throw error;
    } finally {
      this.#bytes += written;
    }
    if (this.#bytes > (this.#options.mostBytes ?? MOST_BYTES)) this.#startOver();
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #startOver(): void {
    this.#forget();
    const nextPath = `${this.#path}.next`;
    const next = openSync(nextPath, "w");
    const bytes = Buffer.from(this.#recent.map(({ text }) => text).join(""), "latin1");
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(next, bytes, written);
      renameSync(nextPath, this.#path);
    } catch (error) {
      closeSync(next);
      throw error;
    }
    closeSync(this.#descriptor);
    this.#descriptor = next;
    this.#bytes = written;
  }

  /** Keeps the last line in any case: it holds until now. */
  #forget(): void {
    const fromNs = this.#atNs - KEPT_NS;
    const first = this.#recent.findIndex(({ atNs }) => atNs > fromNs);
    this.#recent.splice(0, Math.max(0, first - 1));
  }
}
