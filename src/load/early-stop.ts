import type { LoadTally } from "./load-tally.ts";
import type { PoolThread } from "./pool-thread.ts";
import type { WorkShare } from "./work-share.ts";

/** Why a run of load ended before its plan did. */
export type StopReason =
  | "interrupted"
  | "first_requests_failed"
  /** One request after the other failed, although some had been answered before. */
  | "requests_keep_failing"
  /** Nothing listens at the target any more. */
  | "target_gone"
  | "thread_lost";

export interface EarlyStopOptions {
  readonly stopAfterFirstFailures?: number;
  readonly stopAfterFailuresInARow?: { readonly unconnected: number; readonly any: number };
  readonly signal?: AbortSignal;
}

/** Ends a run early: by the caller's signal, because everything fails, or because a thread is lost. */
export class EarlyStop {
  reason: StopReason | undefined;
  /** What happened, in words. */
  detail: string | undefined;
  /** What the caller's own function threw, where it did. */
  thrown: { readonly error: unknown } | undefined;
  readonly #cancel: () => void;
  readonly #options: EarlyStopOptions;
  readonly #onAbort: () => void;

  constructor(threads: readonly PoolThread[], share: WorkShare, options: EarlyStopOptions) {
    this.#options = options;
    this.#cancel = () => {
      share.stop();
      for (const thread of threads) thread.cancel();
    };
    this.#onAbort = () => this.stop("interrupted");
    options.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Calls what the caller gave; if it throws, the run ends. */
  guard(call: () => void): void {
    if (this.thrown) return;
    try {
      call();
    } catch (error) {
      this.thrown = { error };
      this.stop("interrupted");
    }
  }

  look({ ok, failures }: LoadTally): void {
    const { stopAfterFirstFailures = 0, stopAfterFailuresInARow } = this.#options;
    const { inARow, unconnectedInARow } = failures;
    const last = failures.last?.message;
    if (stopAfterFailuresInARow && unconnectedInARow >= stopAfterFailuresInARow.unconnected)
      this.stop("target_gone", last);
    if (stopAfterFirstFailures > 0 && ok === 0 && inARow >= stopAfterFirstFailures)
      this.stop("first_requests_failed", last);
    if (stopAfterFailuresInARow && inARow >= stopAfterFailuresInARow.any)
      this.stop("requests_keep_failing", last);
  }

  /** The first reason counts. */
  stop(reason: StopReason, detail?: string): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    this.detail = detail;
    this.#cancel();
  }

  release(): void {
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
  }
}
