import { nowMs } from "../clock.ts";
import { LoadPool } from "../load/load-pool.ts";
import type { BenchmarkName, CellPlan } from "../records/run-header.ts";
import type { RunRecord } from "../records/run-record.ts";
import { identifyServer } from "../target/identify-server.ts";
import type { BenchmarkOptions } from "./benchmark-options.ts";
import { type EndedRun, endRun } from "./end-run.ts";
import { type CellWork, measureWindow } from "./measure-window.ts";
import { finishedRun, openRun } from "./open-run.ts";
import { type PreparedTarget, type PrepareOptions, prepareTarget } from "./prepare-target.ts";
import { checkSameRail, checkSameServer } from "./resume.ts";
import type { RunningBenchmark, RunProgress } from "./run-progress.ts";
import { RunSession } from "./run-session.ts";

/** What makes one benchmark different from another. */
export interface BenchmarkSpec {
  readonly benchmark: BenchmarkName;
  readonly cells: readonly CellPlan[];
  readonly prepare: Omit<PrepareOptions, "extraBody">;
  /** Makes ready whatever the cells need of the server; nothing is measured yet. */
  readonly works: (
    prepared: PreparedTarget,
    session: RunSession,
    cells: readonly CellPlan[],
    signal: AbortSignal,
  ) => Promise<(plan: CellPlan) => CellWork>;
}

/**
 * Runs a benchmark of an endpoint: probe, prompts, rail and idle baseline, then cell after cell.
 * Whatever is measured is on disk before it is yielded.
 *
 * @param signal - ends the run with what it has; its record is made all the same.
 */
export function startBenchmark(
  spec: BenchmarkSpec,
  options: BenchmarkOptions,
  signal: AbortSignal,
): RunningBenchmark {
  const run: { session?: RunSession } = {};
  const startedMs = nowMs();
  return {
    progress: benchmarkRun(spec, options, run, signal),
    now() {
      const { session } = run;
      if (session) return session.now();
      return {
        phase: "probe",
        cellsDone: 0,
        cells: spec.cells.length,
        inFlight: 0,
        endedRequests: 0,
        failedRequests: 0,
        startedMs,
      };
    },
  };
}

async function* benchmarkRun(
  spec: BenchmarkSpec,
  options: BenchmarkOptions,
  run: { session?: RunSession },
  signal: AbortSignal,
): AsyncGenerator<RunProgress, void, void> {
  const { resume } = options;
  const finished = resume === undefined ? undefined : await finishedRun(resume, spec);
  if (resume !== undefined && finished !== undefined) {
    yield { kind: "started", header: finished.header, folder: resume };
    yield { kind: "log", line: { level: "info", text: "nothing is missing in this run" } };
    yield { kind: "ended", record: finished.record };
    return;
  }
  yield { kind: "phase", phase: "probe" };
  const prepared = await prepareTarget(options.target, prepareOptions(spec, options), signal);
  const { folder, facts, cells, segment } = await openRun(spec, options, prepared.target);
  const session = new RunSession(folder, options.meter, segment);
  run.session = session;
  session.screen.cells = cells.length;
  session.beginSegment();
  let failure: unknown;
  // Whoever takes no more of what this yields ends the run as an interrupt does.
  let isLeft = true;
  const noteSignal = (): void =>
    session.event({ event: "signal", signal: String((signal.reason as Error).message) });
  signal.addEventListener("abort", noteSignal, { once: true });
  let ended: EndedRun | undefined;
  try {
    yield { kind: "started", header: facts.header, folder: folder.path };
    const { before } = facts;
    yield* measureCells(spec, options, { prepared, session, cells, before }, signal);
    isLeft = false;
  } catch (error) {
    isLeft = false;
    if (!signal.aborted) failure = error;
  } finally {
    signal.removeEventListener("abort", noteSignal);
    if (failure instanceof Error) session.keep({ level: "warn", text: failure.message });
    ended = await endRun(session, facts, isLeft || signal.aborted || failure !== undefined);
  }
  yield* logged(session);
  yield { kind: "ended", ...ended };
  if (failure !== undefined) throw failure;
}

async function* measureCells(
  spec: BenchmarkSpec,
  options: BenchmarkOptions,
  run: {
    prepared: PreparedTarget;
    session: RunSession;
    cells: readonly CellPlan[];
    before: RunRecord | undefined;
  },
  signal: AbortSignal,
): AsyncGenerator<RunProgress, void, void> {
  const { prepared, session, cells, before } = run;
  const { target, warnings, systemFingerprint, model } = prepared;
  for (const text of warnings) session.warn(text);
  yield { kind: "phase", phase: "calibrate" };
  session.event({ event: "phase", phase: "calibrate" });
  const [server, workOf] = await Promise.all([
    identifyServer(target, { systemFingerprint, signal }),
    spec.works(prepared, session, cells, signal),
  ]);
  if (before) checkSameServer(before.server, server, options.resume ?? "");
  session.event({ event: "server", ...server, model });
  const pool = await LoadPool.open(target, options.load.threads);
  try {
    yield* logged(session);
    yield { kind: "phase", phase: "baseline" };
    await session.startMeter(target, signal);
    if (before) checkSameRail(before.rail, session.meter.facts, options.resume ?? "");
    yield* logged(session);
    for (const plan of cells) {
      const record = yield* measureWindow(session, { pool, target }, workOf(plan), signal);
      yield* logged(session);
      yield { kind: "cell", record };
      signal.throwIfAborted();
    }
  } finally {
    await pool.close();
  }
}

function prepareOptions(spec: BenchmarkSpec, { load }: BenchmarkOptions): PrepareOptions {
  const { extraBody = {}, timeoutMs } = load;
  return { ...spec.prepare, extraBody, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
}

async function* logged(session: RunSession): AsyncGenerator<RunProgress, void, void> {
  for (const line of session.takeLog()) yield { kind: "log", line };
}
