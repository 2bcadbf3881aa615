import { setTimeout as sleep } from "node:timers/promises";
import type { LoadPlan } from "../load/load-plan.ts";
import type { LoadPool, LoadResult } from "../load/load-pool.ts";
import type { RequestSettings } from "../load/request-body.ts";
import type { RailWindow } from "../rails/source.ts";
import { CellAccumulator } from "../records/cell-accumulator.ts";
import type { CellPlan } from "../records/run-header.ts";
import type { CellRecord } from "../records/run-record.ts";
import type { WorkloadSpec } from "../workloads/workload-spec.ts";
import type { RunProgress } from "./run-progress.ts";
import type { RunSession } from "./run-session.ts";

/** One cell to be measured: the load of its window, and what warms it up. */
export interface CellWork {
  readonly plan: CellPlan;
  readonly settings: RequestSettings;
  readonly workload: WorkloadSpec;
  readonly load: LoadPlan;
  readonly warmup?: { readonly workload: WorkloadSpec; readonly load: LoadPlan };
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
  /** Quiet time between warm-up and window, in ms; default what the rail's sensor needs. */
  readonly settleMs?: number;
}

/**
 * Measures one cell: warm-up, settle, window, settle. This is the one place where load, tokens and
 * joules meet: they are of the same interval, from when the first request could be sent to when the
 * last one had ended.
 *
 * Interrupted, it ends with what it has, and says so.
 *
 * @returns the cell; it stands in the run's files too.
 */
export async function* measureWindow(
  session: RunSession,
  pool: LoadPool,
  work: CellWork,
  signal: AbortSignal,
): AsyncGenerator<RunProgress, CellRecord> {
  const { plan } = work;
  const { cell } = plan;
  const accumulator = new CellAccumulator(plan);
  session.screen.cellStarts(plan);
  session.event({ event: "cell_started", cell });
  if (work.warmup) {
    yield phase(session, "warm-up", plan);
    const { workload, load } = work.warmup;
    await run(session, pool, work, { workload, load, phase: "warm-up" }, signal);
  }
  yield* settle(session, work, signal);
  yield phase(session, "window", plan);
  const result = await run(session, pool, work, { ...work, phase: "window", accumulator }, signal);
  yield phase(session, "settle", plan);
  const { startMs, endMs, health, stopped, notSent } = result;
  const window = await railWindow(session, startMs, endMs, signal);
  session.event({
    event: "window",
    cell,
    startMs,
    endMs,
    ...session.lines,
    health,
    ...(stopped === undefined ? {} : { stopped }),
    notSent,
  });
  session.event({ event: "cell_ended", cell });
  session.screen.cellEnds();
  return {} as CellRecord;
}
