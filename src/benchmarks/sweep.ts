import type { LoadPlan } from "../load/load-plan.ts";
import type { CellPlan } from "../records/run-header.ts";
import type { SweepOptions } from "./benchmark-options.ts";
import { type BenchmarkSpec, startBenchmark } from "./benchmark-run.ts";
import type { CellWork } from "./measure-window.ts";
import { planSweep } from "./plan-sweep.ts";
import type { RunningBenchmark } from "./run-progress.ts";
import type { RunSession } from "./run-session.ts";
import { type SizedPrompts, sizedPrompts } from "./sized-prompts.ts";

/** Every (input length × output length × concurrency) cell of an endpoint, with latency, throughput and energy. */
export function sweep(options: SweepOptions, signal: AbortSignal): RunningBenchmark {
  const spec: BenchmarkSpec = {
    benchmark: "sweep",
    cells: planSweep(options),
    prepare: { hasFixedLength: true, wishes: [{ seed: options.seed }, { temperature: 0 }] },
    async works({ target, settings }, session, cells, aborted) {
      const promptsBySize = new Map<number, SizedPrompts>();
      for (const inputTokens of new Set(cells.map((plan) => plan.inputTokens!))) {
        const { seed, load } = options;
        const asked = { inputTokens, seed, timeoutMs: load.timeoutMs, signal: aborted };
        const prompts = await sizedPrompts(target, asked);
        promptsBySize.set(inputTokens, prompts);
        tellPrompts(session, prompts);
      }
      return (plan) => ({
        ...cellWork(plan, promptsBySize.get(plan.inputTokens!)!, session.segment, options),
        settings,
      });
    },
  };
  return startBenchmark(spec, options, signal);
}

/** More workloads than a run has cells. */
const SEGMENT_STEP = 1_000_003;

function cellWork(
  plan: CellPlan,
  prompts: SizedPrompts,
  segment: number,
  { load, settleMs, warmup }: SweepOptions,
): Omit<CellWork, "settings"> {
  const { concurrency, cell, requests, durationS, cache } = plan;
  const outputTokens = plan.outputTokens!;
  const measured: LoadPlan = {
    kind: "closed",
    concurrency,
    ...(requests === undefined ? {} : { requests }),
    ...(durationS === undefined ? {} : { durationMs: durationS * 1000 }),
  };
  // Cells have prompts of their own, and new ones when a run is resumed: the server may know those
  // that it was asked before. A warm-up has the cell's own only where they are to be known.
  const number = SEGMENT_STEP * segment + 2 * cell;
  const workload = prompts.workload(number, outputTokens);
  const other = prompts.workload(number + 1, outputTokens);
  const warming = warmupLoad(plan, warmup);
  return {
    plan,
    workload,
    load: measured,
    ...(warming && {
      warmup: { workload: cache === "warm" ? workload : other, load: warming },
    }),
    ...(load.timeoutMs === undefined ? {} : { timeoutMs: load.timeoutMs }),
    ...(load.idleTimeoutMs === undefined ? {} : { idleTimeoutMs: load.idleTimeoutMs }),
    ...(settleMs === undefined ? {} : { settleMs }),
  };
}

function warmupLoad(
  { concurrency, cache, requests }: CellPlan,
  warmup: SweepOptions["warmup"],
): LoadPlan | undefined {
  if ("seconds" in warmup) {
    return warmup.seconds > 0
      ? { kind: "closed", concurrency, durationMs: warmup.seconds * 1000 }
      : undefined;
  }
  if (warmup.rounds === 0) return undefined;
  // A warm cache has to know every prompt of the window.
  const least = cache === "warm" ? (requests ?? 0) : 0;
  return { kind: "closed", concurrency, requests: Math.max(least, warmup.rounds * concurrency) };
}

function tellPrompts(session: RunSession, { inputTokens, calibrated }: SizedPrompts): void {
  const { isCalibrated } = calibrated;
  if (isCalibrated) {
    const { expectedTokens, maxDeviationTokens } = calibrated;
    session.event({
      event: "prompts",
      inputTokens,
      isCalibrated,
      expectedTokens,
      maxDeviationTokens,
    });
    return;
  }
  const { why } = calibrated;
  session.event({ event: "prompts", inputTokens, isCalibrated, why });
  session.warn(`the length of the prompts is not known: ${why}`);
}
