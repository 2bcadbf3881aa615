import { nowMs } from "../clock.ts";
import { forget, listen } from "./abort-listeners.ts";
import type { Fault, TimeoutKind } from "./request-outcome.ts";

export interface WatchOptions {
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** setTimeout fires at once beyond this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Ends a request that takes too long, falls silent or is not wanted any more.
 *
 * One timer per request, not one per read: a read only notes its time.
 */
export class RequestWatch {
  /** When the last byte arrived, or the request began. */
  lastActivityMs: number;
  /** What the request is doing, for the message. */
  phase: "connecting" | "waiting for a response" | "reading the reply" = "connecting";
  /** Called at most once; set by whoever can end the request at the moment. */
  onStop: (fault: Fault, atMs: number) => void = () => {};
  /** Why the request was ended, once it was. */
  fault: Fault | undefined;
  readonly #options: WatchOptions;
  readonly #startedMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WatchOptions, startedMs: number) {
    this.#options = options;
    this.#startedMs = startedMs;
    this.lastActivityMs = startedMs;
  }

  start(): void {
    const { signal } = this.#options;
    if (signal?.aborted) this.#onAbort();
    else {
      if (signal !== undefined) listen(signal, this.#onAbort);
      this.#arm();
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { signal } = this.#options;
    if (signal !== undefined) forget(signal, this.#onAbort);
    this.onStop = () => {};
  }

  readonly #onAbort = (): void => {
    this.#end({ errorKind: "cancelled", message: `cancelled ${this.#phaseText()}` });
  };

  #arm(): void {
    const waitMs = Math.min(this.#dueMs("total"), this.#dueMs("idle")) - nowMs();
    if (waitMs === Number.POSITIVE_INFINITY) return;
    // Timers count whole milliseconds and may fire early: the clock is asked again when it does.
    this.#timer = setTimeout(
      this.#onTimer,
      Math.min(Math.max(1, Math.ceil(waitMs)), LONGEST_TIMER_MS),
    );
  }

  readonly #onTimer = (): void => {
    // Timers run before reads. If this thread was held up, bytes may lie ready that came in time.
    setImmediate(() => {
      if (this.fault !== undefined || this.#timer === undefined) return;
      const kind = this.#expired();
      if (kind === undefined) this.#arm();
      else this.#end(this.#timeoutFault(kind));
    });
  };

  #expired(): TimeoutKind | undefined {
    const atMs = nowMs();
    if (atMs >= this.#dueMs("total")) return "total";
    return atMs >= this.#dueMs("idle") ? "idle" : undefined;
  }

  #dueMs(kind: TimeoutKind): number {
    const { timeoutMs, idleTimeoutMs } = this.#options;
    const [fromMs, limitMs] =
      kind === "total" ? [this.#startedMs, timeoutMs] : [this.lastActivityMs, idleTimeoutMs];
    return limitMs > 0 ? fromMs + limitMs : Number.POSITIVE_INFINITY;
  }

  #timeoutFault(kind: TimeoutKind): Fault {
    const { timeoutMs, idleTimeoutMs } = this.#options;
    const message =
      kind === "total"
        ? `not finished within the timeout of ${timeoutMs} ms, ${this.#phaseText()}`
        : `no byte within the idle timeout of ${idleTimeoutMs} ms, ${this.#phaseText()}`;
    return { errorKind: "timeout", message, timeoutKind: kind };
  }

  #phaseText(): string {
    return `while ${this.phase}`;
  }

  #end(fault: Fault): void {
    if (this.fault !== undefined) return;
    this.fault = fault;
    const { onStop } = this;
    this.stop();
    onStop(fault, nowMs());
  }
}
