import type { TargetRecord } from "../target/target-record.ts";

/** Benchmarks that leave a run folder which `rederive` understands. */
export type BenchmarkName = "sweep" | "decode-floor";

/** What is known before anything is measured: `run.json`, written at the very start. */
export interface RunHeader {
  readonly schema: "joulemark.run/1";
  readonly benchmark: BenchmarkName;
  readonly software: { readonly name: "joulemark"; readonly version: string };
  /** Wall time in ISO, as a label, and the run's clock at that moment. */
  readonly startedAt: string;
  readonly startedAtMs: number;
  /** The run's origin on the machine's monotonic clock, in ns as text. */
  readonly clockOriginNs: string;
  /** As resolved: defaults filled in, secrets never in it. */
  readonly parameters: RunParameters;
  readonly target: TargetRecord;
  readonly host: HostFacts;
  /** How token-event times stand in `requests.jsonl`. */
  readonly tokenTimes: "differences_us";
  /** Every cell that was planned, in order. */
  readonly cells: readonly CellPlan[];
}

/** Resolved parameters: plain JSON, flags by their names without dashes. */
export type RunParameters = Readonly<Record<string, unknown>>;

/** One measurement of a run as it was planned. */
export interface CellPlan {
  /** Its place in the run, from 0. */
  readonly cell: number;
  /** Which of the repeats, from 0. */
  readonly repeat: number;
  /** What it is called in tables and logs, such as `512 in, 256 out, 4 at once`. */
  readonly label: string;
  /** Stands before its keys, such as `isl512_osl256_c4_`; empty for the only one. */
  readonly prefix: string;
  readonly concurrency: number;
  readonly requests?: number;
  readonly durationS?: number;
  /** Asked for; absent where the workload decides. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Whether prompts are to be new to the server, or known; `any` where it does not matter. */
  readonly cache: "cold" | "warm" | "any";
}

/** The machine that the run was started on. */
export interface HostFacts {
  readonly hostname: string;
  readonly os: string;
  readonly cpu: string;
  readonly cpuCount: number;
  readonly memoryBytes: number;
  readonly nodeVersion: string;
}
