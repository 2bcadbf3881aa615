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
  const { plan, warmup } = work;
  const { cell } = plan;
  session.screen.cellStarts(plan);
  session.event({ event: "cell_started", cell });
  if (warmup) {
    yield phaseOf(session, "warm-up", plan);
    const warmed = await run(session, pool, work, { ...warmup, phase: "warm-up" }, signal);
    signal.throwIfAborted();
    if (warmed.stopped !== undefined) throw loadFailed(plan, warmed, "warm-up");
  }
  yield* settle(session, work, signal);
  yield phaseOf(session, "window", plan);
  const accumulator = new CellAccumulator(plan);
  const measured = { workload: work.workload, load: work.load, phase: "window" as const };
  const result = await run(session, pool, work, { ...measured, accumulator }, signal);
  yield phaseOf(session, "settle", plan);
  const { startMs, endMs, health, stopped, notSent } = result;
  const window = await railWindow(session.meter, startMs, endMs, signal);
  const ended = { startMs, endMs, health, notSent, ...(stopped === undefined ? {} : { stopped }) };
  session.event({ event: "window", cell, ...ended, ...session.lines });
  session.event({ event: "cell_ended", cell });
  session.screen.cellEnds();
  const record = cellRecord(plan, accumulator.finish(ended), railOf(session.meter, window));
  if (stopped === "first_requests_failed" || stopped === "thread_lost") {
    yield { kind: "cell", record };
    throw loadFailed(plan, result, "window");
  }
  return record;
}

interface Part {
  readonly workload: WorkloadSpec;
  readonly load: LoadPlan;
  readonly phase: RequestLine["phase"];
  readonly accumulator?: CellAccumulator;
}

async function run(
  session: RunSession,
  pool: LoadPool,
  { plan, settings, timeoutMs, idleTimeoutMs }: CellWork,
  { workload, load, phase, accumulator }: Part,
  signal: AbortSignal,
): Promise<LoadResult> {
  session.screen.phaseStarts();
  return pool.run({
    plan: load,
    workload,
    settings,
    signal,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
    onEnded: (ended) => {
      const line = session.request(ended, plan.cell, phase);
      accumulator?.add(line);
    },
  });
}

/** Quiet time, so that the readings of the window tell of nothing that was before it. */
async function* settle(
  session: RunSession,
  { plan, settleMs }: CellWork,
  signal: AbortSignal,
): AsyncGenerator<RunProgress, void> {
  const { sampler } = session.meter;
  const quietMs = settleMs ?? sampler?.settleMs ?? 0;
  if (quietMs === 0) return;
  yield { ...phaseOf(session, "settle", plan), aboutS: quietMs / 1000 };
  await sleep(quietMs, undefined, { signal });
}

/** The energy of the window; when the wait for its last readings is cut short, what there is. */
async function railWindow(
  meter: EnergyMeter,
  startMs: number,
  endMs: number,
  signal: AbortSignal,
): Promise<RailWindow> {
  if (signal.aborted && meter.sampler) return meter.sampler.judge(startMs, endMs);
  try {
    return await meter.window(startMs, endMs, { signal });
  } catch (error) {
    if (!signal.aborted || meter.sampler === undefined) throw error;
    return meter.sampler.judge(startMs, endMs);
  }
}

function phaseOf(session: RunSession, phase: PhaseName, cell: CellPlan): PhaseProgress {
  session.event({ event: "phase", phase, cell: cell.cell });
  return { kind: "phase", phase, cell };
}

/** The load ended before it had really begun: nothing that follows can be better. */
function loadFailed(plan: CellPlan, { stopped, failure, counts }: LoadResult, where: string): Error {
  const kinds = Object.entries(counts.failedByKind).map(([kind, count]) => `${count} ${kind}`);
  const why =
    stopped === "thread_lost"
      ? `a load thread was lost (${failure ?? "no reason told"})`
      : `the first ${counts.failed} requests all failed (${kinds.join(", ")})`;
  return new JoulemarkError("target_failed", `${plan.label}, ${where}: ${why}; the run was stopped`);
}
