import { setTimeout as sleep } from "node:timers/promises";
import { nowMs } from "../clock.ts";
import { JoulemarkError } from "../errors.ts";
import type { LoadPlan } from "../load/load-plan.ts";
import type { LoadPool, LoadResult } from "../load/load-pool.ts";
import type { RequestSettings } from "../load/request-body.ts";
import type { WindowFindings } from "../rails/load-response.ts";
import type { EnergyMeter } from "../rails/meter.ts";
import type { RailFacts } from "../rails/source.ts";
import { CellAccumulator } from "../records/cell-accumulator.ts";
import { cellRail } from "../records/cell-rail.ts";
import { cellRecord } from "../records/cell-record.ts";
import type { RequestLine } from "../records/request-line.ts";
import type { PhaseName } from "../records/run-event.ts";
import type { CellPlan } from "../records/run-header.ts";
import type { CellRecord } from "../records/run-record.ts";
import type { Target } from "../target/target.ts";
import type { WorkloadSpec } from "../workloads/workload-spec.ts";
import type { RunProgress } from "./run-progress.ts";
import type { RunSession } from "./run-session.ts";
import { patience, withTargetLookedFor } from "./target-gone.ts";

/** How much longer than the settle time a window waits for power that stands still, in ms. */
const QUIET_WITHIN_MS = 4000;

/** Where the load comes from, and where it goes. */
export interface LoadSource {
  readonly pool: LoadPool;
  readonly target: Target;
}

/** One cell to be measured: the load of its window, and what warms it up. */
export interface CellWork {
  readonly plan: CellPlan;
  readonly settings: RequestSettings;
  readonly workload: WorkloadSpec;
  readonly load: LoadPlan;
  readonly warmup?: { readonly workload: WorkloadSpec; readonly load: LoadPlan };
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
  /**
   * Quiet time between warm-up and window, in ms; default what the rail's sensor needs, and after
   * that until the power stands still.
   */
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
  source: LoadSource,
  work: CellWork,
  signal: AbortSignal,
): AsyncGenerator<RunProgress, CellRecord> {
  const { plan, warmup } = work;
  const { cell } = plan;
  session.screen.cellStarts(plan);
  session.event({ event: "cell_started", cell });
  let warmed: LoadResult | undefined;
  if (warmup) {
    yield phaseOf(session, "warm-up", plan);
    warmed = await run(session, source, work, { ...warmup, phase: "warm-up" }, signal);
    signal.throwIfAborted();
    if (warmed.stopped !== undefined) throw loadFailed(plan, warmed, "warm-up");
  }
  yield* settle(session, work, signal);
  if (warmed) session.checkSensor(warmed);
  yield phaseOf(session, "window", plan);
  const stepMs = steadyStepMs(session.meter.facts);
  const accumulator = new CellAccumulator(plan, stepMs);
  const measured = { workload: work.workload, load: work.load, phase: "window" as const };
  const release = session.meter.sampler?.hold(nowMs());
  const result = await run(session, source, work, { ...measured, accumulator }, signal);
  yield phaseOf(session, "settle", plan);
  const looking = session.meter.lookForForeignWork(signal);
  await readingsPast(session.meter, result.endMs, signal);
  const seen = await looking;
  const record = judged(session, result, accumulator, { cell, steadyStepMs: stepMs, seen });
  release?.();
  session.checkSensor(result);
  session.event({ event: "cell_ended", cell });
  session.cell(record);
  await session.folder.flush();
  const { stopped } = result;
  if (stopped !== undefined && stopped !== "interrupted") {
    yield { kind: "cell", record };
    throw loadFailed(plan, result, "window");
  }
  return record;
}

/** Nothing waits in here, so that the record can be made of the same readings again. */
function judged(
  session: RunSession,
  { startMs, endMs, health, stopped, notSent }: LoadResult,
  accumulator: CellAccumulator,
  {
    cell,
    steadyStepMs,
    seen,
  }: {
    readonly cell: number;
    readonly steadyStepMs: number | undefined;
    readonly seen: WindowFindings;
  },
): CellRecord {
  const ended = {
    startMs,
    // A load that is cancelled at once has ended before its first request was due.
    endMs: Math.max(startMs, endMs),
    health,
    notSent,
    ...(stopped === undefined ? {} : { stopped }),
  };
  const requests = accumulator.finish(ended);
  const judge = () => ({
    record: cellRecord(requests, cellRail(requests, session.rail, seen)),
    railLines: session.railLines,
  });
  // Judging takes a while, and readings arrive meanwhile.
  const { record, railLines } = session.meter.sampler?.atOneMoment(judge) ?? judge();
  const { ok, failed, cancelled = 0 } = requests.counts;
  session.event({
    event: "window",
    cell,
    ...ended,
    railLines,
    ...(steadyStepMs === undefined ? {} : { steadyStepMs }),
    requests: ok + failed + cancelled,
    ...(seen.reasons.length > 0 && { reasons: seen.reasons }),
    ...(seen.warnings.length > 0 && { warnings: seen.warnings }),
  });
  return record;
}

/** A sensor whose readings are means is read off exactly over whole averaging times. */
function steadyStepMs(facts: RailFacts | undefined): number | undefined {
  if (facts === undefined || facts.unmodelled !== undefined) return undefined;
  const { kind, averagingMs } = facts.sensor;
  return kind === "average" && averagingMs > 0 ? averagingMs : undefined;
}

interface Part {
  readonly workload: WorkloadSpec;
  readonly load: LoadPlan;
  readonly phase: RequestLine["phase"];
  readonly accumulator?: CellAccumulator;
}

async function run(
  session: RunSession,
  { pool, target }: LoadSource,
  { plan, settings, timeoutMs, idleTimeoutMs }: CellWork,
  { workload, load, phase, accumulator }: Part,
  signal: AbortSignal,
): Promise<LoadResult> {
  session.screen.phaseStarts();
  const result = await pool.run({
    ...patience(plan.concurrency),
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
  return withTargetLookedFor(result, target, signal);
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
  // Clocks stay up for seconds after a load and step down then: not into the window's edge.
  if (settleMs === undefined) await sampler?.quiet(QUIET_WITHIN_MS, signal);
}

/** Waits until the readings tell of all that was in the window, or nothing more will come. */
async function readingsPast(meter: EnergyMeter, endMs: number, signal: AbortSignal): Promise<void> {
  const { sampler } = meter;
  if (sampler === undefined || signal.aborted) return;
  try {
    await sampler.readingsUntil(endMs + sampler.reachMs, signal);
  } catch (error) {
    // Cut short, the window is judged by what there is.
    if (!signal.aborted) throw error;
  }
}

function phaseOf(
  session: RunSession,
  phase: PhaseName,
  cell: CellPlan,
): Extract<RunProgress, { kind: "phase" }> {
  session.event({ event: "phase", phase, cell: cell.cell });
  return { kind: "phase", phase, cell };
}

/** The load was stopped because nothing that follows could be better. */
function loadFailed(plan: CellPlan, result: LoadResult, where: string): Error {
  return new JoulemarkError(
    "target_failed",
    `${plan.label}, ${where}: ${whyStopped(result)}; the run was stopped, and what it measured until then is kept`,
  );
}

function whyStopped({ stopped, failure = "no reason told", counts }: LoadResult): string {
  if (stopped === "thread_lost") return `a load thread was lost (${failure})`;
  if (stopped === "target_gone")
    return `the target is gone (${failure}): start it again, and go on with --resume`;
  const kinds = Object.entries(counts.failedByKind).map(([kind, count]) => `${count} ${kind}`);
  const which = stopped === "first_requests_failed" ? "the first" : "too many";
  return `${which} requests failed in a row (${kinds.join(", ")}; the last: ${failure})`;
}
