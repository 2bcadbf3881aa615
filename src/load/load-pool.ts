import { nowMs } from "../clock.ts";
import { JoulemarkError } from "../errors.ts";
import { checkFileLimit } from "../target/file-limit.ts";
import type { Target } from "../target/target.ts";
import type { WorkloadSpec } from "../workloads/workload-spec.ts";
import { type AchievedRate, achievedRate } from "./achieved-rate.ts";
import { type GeneratorHealth, judgeGenerator, threadHealth } from "./generator-health.ts";
import { checkPlan, type LoadPlan, plannedRequests } from "./load-plan.ts";
import { type LoadCounts, LoadTally } from "./load-tally.ts";
import type { Ended, RunOrder } from "./messages.ts";
import { PoolThread } from "./pool-thread.ts";
import type { RequestSettings } from "./request-body.ts";
import { splitPlan } from "./split-plan.ts";
import { stolenMs } from "./steal.ts";
import { WorkShare } from "./work-share.ts";

export interface LoadOptions {
  readonly plan: LoadPlan;
  readonly workload: WorkloadSpec;
  readonly settings?: RequestSettings;
  /** Limits of each request, in ms; see `streamRequest`. */
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
  /** Whether outcomes keep the text of successful replies; default false. */
  readonly keepText?: boolean;
  /** Told of each request when it has ended, in no order. */
  readonly onEnded?: (ended: Ended) => void;
  /** When this many requests have ended first and all of them failed, the run stops; 0 never. */
  readonly stopAfterFirstFailures?: number;
  /** Cancels what is in flight; the run then ends with what it has. */
  readonly signal?: AbortSignal;
}

/** What came of one run of load. */
export interface LoadResult {
  /** When the first request could be sent, and when the last one had ended, on the run's clock. */
  readonly startMs: number;
  readonly endMs: number;
  readonly counts: LoadCounts;
  /** Requests of the plan that were not sent. */
  readonly notSent: number;
  /** Why the run ended before its plan did. */
  readonly stopped?: "interrupted" | "first_requests_failed";
  readonly health: GeneratorHealth;
  /** Of an open loop: the rate that was asked for, and the one that was sent. */
  readonly rate?: AchievedRate;
}

/** Time for all threads to have their orders before the first request is due, in ms. */
const LEAD_MS = 10;

/** Load threads with open connections to one target, for one run after the other. */
export class LoadPool {
  readonly #threads: readonly PoolThread[];

  private constructor(threads: readonly PoolThread[]) {
    this.#threads = threads;
  }

  /**
   * Starts the threads.
   *
   * @param threads - how many; each takes about 20,000 token events per second with exact times.
   */
  static async open(target: Target, threads = 1): Promise<LoadPool> {
    if (!Number.isSafeInteger(threads) || threads < 1 || threads > 256)
      throw new JoulemarkError("bad_option", `${threads} load threads cannot be: give 1 to 256`);
    const setup = { target: target.forThread() };
    return new LoadPool(
      await Promise.all(Array.from({ length: threads }, () => PoolThread.start(setup))),
    );
  }

  /**
   * Runs a plan to its end. Nothing is sent twice and nothing is held back.
   *
   * @throws {JoulemarkError} `bad_option` for a plan that cannot be run on this machine.
   */
  async run(options: LoadOptions): Promise<LoadResult> {
    const { plan, signal } = options;
    checkPlan(plan);
    if (plan.kind === "closed") await checkFileLimit(plan.concurrency);
    signal?.throwIfAborted();
    const share = new WorkShare(plannedRequests(plan) ?? Number.POSITIVE_INFINITY);
    const tally = new LoadTally();
    const stop = new EarlyStop(this.#threads, share, options);
    const before = await this.#usage();
    const stolenBefore = stolenMs();
    const startMs = nowMs() + LEAD_MS;
    const onEnded = (requests: readonly Ended[]): void => {
      for (const ended of requests) {
        tally.add(ended);
        options.onEnded?.(ended);
      }
      stop.look(tally.counts());
    };
    const loops = splitPlan(plan, this.#threads.length, startMs);
    await Promise.all(
      loops.map(async (loop, i) => {
        if (loop) await this.#threads[i]!.run(order(options, share, startMs, loop), onEnded);
      }),
    ).finally(() => stop.release());
    const endMs = nowMs();
    const after = await this.#usage();
    const counts = tally.counts();
    const windowS = (after[0]!.atMs - before[0]!.atMs) / 1000;
    return {
      startMs,
      endMs,
      counts,
      notSent: Math.max(0, (plannedRequests(plan) ?? counts.ended) - counts.ended),
      ...(stop.reason === undefined ? {} : { stopped: stop.reason }),
      ...rateOf(plan, startMs, tally.lastSentMs),
      health: judgeGenerator({
        windowS,
        threads: before.map((usage, i) => threadHealth(usage, after[i]!)),
        ...stealShare(stolenBefore, windowS),
        ...tally.health(),
      }),
    };
  }

  /** Ends the threads and closes their connections. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  #usage(): Promise<readonly Awaited<ReturnType<PoolThread["usage"]>>[]> {
    return Promise.all(this.#threads.map((thread) => thread.usage()));
  }
}

/** Ends a run early: by the caller's signal, or because everything fails. */
class EarlyStop {
  reason: LoadResult["stopped"];
  readonly #cancel: () => void;
  readonly #options: LoadOptions;
  readonly #onAbort: () => void;

  constructor(threads: readonly PoolThread[], share: WorkShare, options: LoadOptions) {
    this.#options = options;
    this.#cancel = () => {
      share.stop();
      for (const thread of threads) thread.cancel();
    };
    this.#onAbort = () => this.#stop("interrupted");
    options.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  look({ ok, failed }: LoadCounts): void {
    const { stopAfterFirstFailures = 0 } = this.#options;
    if (stopAfterFirstFailures > 0 && ok === 0 && failed >= stopAfterFirstFailures)
      this.#stop("first_requests_failed");
  }

  release(): void {
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
  }

  #stop(reason: NonNullable<LoadResult["stopped"]>): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    this.#cancel();
  }
}

function order(
  { workload, settings = {}, timeoutMs, idleTimeoutMs, keepText = false, plan }: LoadOptions,
  share: WorkShare,
  startMs: number,
  loop: RunOrder["loop"],
): RunOrder {
  return {
    kind: "run",
    workload,
    settings,
    keepText,
    shared: share.memory,
    total: plannedRequests(plan) ?? Number.POSITIVE_INFINITY,
    startMs,
    loop,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
  };
}

function rateOf(
  plan: LoadPlan,
  startMs: number,
  lastSentMs: number | undefined,
): { rate?: AchievedRate } {
  if (plan.kind === "closed" || lastSentMs === undefined) return {};
  const rate = achievedRate(plan.dueMs, lastSentMs - startMs);
  return rate === undefined ? {} : { rate };
}

function stealShare(before: number | undefined, windowS: number): { stealShare?: number } {
  const after = stolenMs();
  if (before === undefined || after === undefined) return {};
  return { stealShare: (after - before) / 1000 / windowS };
}
