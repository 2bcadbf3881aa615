import type { EngineCore, FinishedStep } from "./engine-core.ts";

const NS_PER_MS = 1e6;
/** Timers are whole milliseconds and fire late; the rest of the wait is slept away exactly. */
const TIMER_SLACK_MS = 1.2;
/** A timer cannot wait for ever; when it ends too early, another one follows. */
const LONGEST_WAIT_MS = 1e6;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** Called for each step at its end, or as soon after as this process got to it. */
export type OnStep = (step: FinishedStep) => void;

/** Drives an engine core along the machine's monotonic clock. */
export class EngineLoop {
  /** The engine's origin on the machine's monotonic clock, in ns. */
  readonly originNs: bigint;
  readonly #core: EngineCore;
  readonly #onStep: OnStep;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #isStopped = false;

  constructor(core: EngineCore, originNs: bigint, onStep: OnStep) {
    this.#core = core;
    this.originNs = originNs;
    this.#onStep = onStep;
  }

  /** ns since the engine's origin. */
  nowNs(): number {
    return Number(process.hrtime.bigint() - this.originNs);
  }

  /** Does what is due, and sees to it that what comes next is done in time. @returns the time now. */
  catchUp(): number {
    const nowNs = this.nowNs();
    for (const step of this.#core.advance(nowNs)) this.#onStep(step);
    this.#arm();
    return nowNs;
  }

  stop(): void {
    this.#isStopped = true;
    this.#disarm();
  }

  /** To be called after the core was given something to do. */
  rearm(): void {
    this.#arm();
  }

  #arm(): void {
    this.#disarm();
    const { nextNs } = this.#core;
    if (this.#isStopped || nextNs === undefined) return;
    const leftMs = (nextNs - this.nowNs()) / NS_PER_MS;
    if (leftMs > TIMER_SLACK_MS) {
      const waitMs = Math.min(LONGEST_WAIT_MS, Math.floor(leftMs - TIMER_SLACK_MS) || 1);
      this.#timer = setTimeout(() => this.#arm(), waitMs);
    } else {
      // A turn of the event loop first, so that short steps do not starve what arrives.
      this.#immediate = setImmediate(() => this.#waitAndAdvance());
    }
  }

  #waitAndAdvance(): void {
    const { nextNs } = this.#core;
    const leftMs = nextNs === undefined ? 0 : (nextNs - this.nowNs()) / NS_PER_MS;
    if (leftMs > TIMER_SLACK_MS) {
      this.#arm();
      return;
    }
    if (leftMs > 0) Atomics.wait(sleeper, 0, 0, leftMs);
    this.catchUp();
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    if (this.#immediate) clearImmediate(this.#immediate);
    this.#immediate = undefined;
  }
}
