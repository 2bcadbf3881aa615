import type { CellPlan } from "../records/run-header.ts";
import type { DecodeFloorOptions } from "./benchmark-options.ts";
import { type BenchmarkSpec, startBenchmark } from "./benchmark-run.ts";
import type { RunningBenchmark } from "./run-progress.ts";

/** Ways to ask a model not to think, for one server or another. */
const NO_THINKING = [
  { reasoning_effort: "none" },
  { chat_template_kwargs: { enable_thinking: false } },
];
/** The benchmark's own sampling. */
const GREEDY = [{ seed: 0 }, { temperature: 0 }];

/**
 * The pinned decode rate of a single user: timed runs of one committed code prompt, greedy, without
 * thinking. Another prompt would be another benchmark.
 */
export function decodeFloor(options: DecodeFloorOptions, signal: AbortSignal): RunningBenchmark {
  const { maxTokens, load, settleMs } = options;
  const { endpoint } = options.target;
  const spec: BenchmarkSpec = {
    benchmark: "decode-floor",
    cells: planDecodeFloor(options),
    prepare: {
      hasFixedLength: false,
      wishes: endpoint === "chat" ? [...NO_THINKING, ...GREEDY] : GREEDY,
    },
    works: async ({ settings }) => {
      return (plan) => ({
        plan,
        settings,
        workload: { kind: "code", endpoint, outputTokens: maxTokens },
        load: { kind: "closed", concurrency: 1, requests: 1 },
        ...(load.timeoutMs === undefined ? {} : { timeoutMs: load.timeoutMs }),
        ...(load.idleTimeoutMs === undefined ? {} : { idleTimeoutMs: load.idleTimeoutMs }),
        ...(settleMs === undefined ? {} : { settleMs }),
      });
    },
  };
  return startBenchmark(spec, options, signal);
}

/** The timed runs; their energy windows are summed. */
export function planDecodeFloor({
  runs,
  maxTokens,
}: Pick<DecodeFloorOptions, "runs" | "maxTokens">): readonly CellPlan[] {
  return Array.from({ length: runs }, (_, run) => ({
    cell: run,
    repeat: run,
    label: `run ${run + 1}`,
    prefix: "",
    concurrency: 1,
    requests: 1,
    outputTokens: maxTokens,
    cache: "any",
  }));
}
