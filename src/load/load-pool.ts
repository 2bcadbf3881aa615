import { nowMs } from "../clock.ts";
import { JoulemarkError } from "../errors.ts";
import { checkFileLimit } from "../target/file-limit.ts";
import type { Target } from "../target/target.ts";
import { openWorkload, type WorkloadSpec } from "../workloads/workload-spec.ts";
import { type AchievedRate, achievedRate } from "./achieved-rate.ts";
import { EarlyStop, type StopReason } from "./early-stop.ts";
import {
  type GeneratorHealth,
  judgeGenerator,
  type ThreadHealth,
  type ThreadUsage,
  threadHealth,
} from "./generator-health.ts";
import { checkPlan, type LoadPlan, plannedRequests } from "./load-plan.ts";
import { type LastFailure, type LoadCounts, LoadTally } from "./load-tally.ts";
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
  /** Told of each request when it has ended, in no order. What it throws ends the run. */
  readonly onEnded?: (ended: Ended) => void;
  /** When this many requests have ended first and all of them failed, the run stops; 0 never. */
  readonly stopAfterFirstFailures?: number;
  /**
   * When so many requests in a row found no connection, or failed in whatever way, the run stops: a
   * target that is gone would be asked as fast as this side can.
   */
  readonly stopAfterFailuresInARow?: { readonly unconnected: number; readonly any: number };
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
  readonly stopped?: StopReason;
  /** What ended a load thread, where one was lost; what the last request told, where all failed. */
  readonly failure?: string;
  /** The last request to end, where it failed. */
  readonly lastFailure?: LastFailure;
  readonly health: GeneratorHealth;
  /** Of an open loop: the rate that was asked for, and the one that was sent. */
  readonly rate?: AchievedRate;
}

/** Time for all threads to have their orders before the first request is due, in ms. */
const LEAD_MS = 10;

/** Load threads with open connections to one target, for one run after the other. */
export class LoadPool {
  readonly #threads: readonly PoolThread[];
  #current: { readonly stop: EarlyStop; readonly ended: Promise<unknown> } | undefined;

  private constructor(threads: readonly PoolThread[]) {
    this.#threads = threads;
  }

  /**
   * Starts the threads.
   *
   * @param threads - how many; `joulemark roofline` shows what each can take on a machine.
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
   * @throws {JoulemarkError} `bad_option` for a plan or workload that cannot be run on this machine,
   *   and while another run is going on; and what `onEnded` throws.
   */
  async run(options: LoadOptions): Promise<LoadResult> {
    const { plan, signal } = options;
    checkPlan(plan);
    openWorkload(options.workload);
    if (plan.kind === "closed") await checkFileLimit(plan.concurrency);
    signal?.throwIfAborted();
    if (this.#current !== undefined)
      throw new JoulemarkError(
        "bad_option",
        "a pool does one run at a time: wait for the other one",
      );
    const share = new WorkShare(plannedRequests(plan) ?? Number.POSITIVE_INFINITY);
    const stop = new EarlyStop(this.#threads, share, options);
    const ended = this.#run(options, share, stop).finally(() => {
      stop.release();
      this.#current = undefined;
    });
    this.#current = { stop, ended };
    return ended;
  }

  /** Ends the threads and closes their connections; a run that goes on ends with what it has. */
  async close(): Promise<void> {
    this.#current?.stop.stop("interrupted");
    await this.#current?.ended.catch(() => undefined);
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  async #run(options: LoadOptions, share: WorkShare, stop: EarlyStop): Promise<LoadResult> {
    const { plan } = options;
    const tally = new LoadTally();
    const before = await this.#usage();
    const stolenBefore = stolenMs();
    const startMs = nowMs() + LEAD_MS;
    const onEnded = (requests: readonly Ended[]): void => {
      for (const ended of requests) {
        tally.add(ended);
        stop.guard(() => options.onEnded?.(ended));
      }
      stop.look(tally);
    };
    const loops = splitPlan(plan, this.#threads.length, startMs);
    await Promise.all(
      loops.map(async (loop, i) => {
        if (loop === undefined) return;
        const running = this.#threads[i]!.run(order(options, share, startMs, loop), onEnded);
        // One thread that is lost must not leave the others loading the server.
        await running.catch((error: Error) => stop.stop("thread_lost", error.message));
      }),
    );
    if (stop.thrown) throw stop.thrown.error;
    const endMs = nowMs();
    const after = await this.#usage();
    const counts = tally.counts();
    const [from, to] = [before.find(Boolean)?.atMs, after.find(Boolean)?.atMs];
    const windowS = ((to ?? endMs) - (from ?? startMs)) / 1000;
    return {
      startMs,
      endMs,
      counts,
      notSent: Math.max(0, (plannedRequests(plan) ?? counts.ended) - counts.ended),
      ...(stop.reason === undefined ? {} : { stopped: stop.reason }),
      ...(stop.detail === undefined ? {} : { failure: stop.detail }),
      ...(tally.failures.last === undefined ? {} : { lastFailure: tally.failures.last }),
      ...rateOf(plan, startMs, tally.lastSentMs),
      health: judgeGenerator({
        windowS,
        threads: healthOf(before, after),
        ...stealShare(stolenBefore, windowS),
        ...tally.health(),
      }),
    };
  }

  #usage(): Promise<readonly (ThreadUsage | undefined)[]> {
    return Promise.all(this.#threads.map((thread) => thread.usage()));
  }
}

/** The health of the threads that are still there. */
function healthOf(
  before: readonly (ThreadUsage | undefined)[],
  after: readonly (ThreadUsage | undefined)[],
): readonly ThreadHealth[] {
  return before.flatMap((from, i) => {
    const to = after[i];
    return from === undefined || to === undefined ? [] : [threadHealth(from, to)];
  });
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
