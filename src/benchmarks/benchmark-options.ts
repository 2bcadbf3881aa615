import type { MeterOptions } from "../rails/meter-options.ts";
import type { RunParameters } from "../records/run-header.ts";
import type { Target } from "../target/target.ts";

/** How requests are sent, in every benchmark of an endpoint. */
export interface LoadSettings {
  /** Load threads. */
  readonly threads: number;
  /** Limits of each request; absent: those of `streamRequest`. */
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
  /** Added to the body of every request. */
  readonly extraBody?: Readonly<Record<string, unknown>>;
  readonly endpoint: "chat" | "completions";
}

/** What every benchmark of an endpoint is told. */
export interface BenchmarkOptions {
  readonly target: Target;
  readonly load: LoadSettings;
  readonly meter: MeterOptions;
  /** Without energy the run is inconclusive. */
  readonly requireEnergy: boolean;
  /** Quiet time around a window; absent: what the sensor needs. */
  readonly settleMs?: number;
  readonly seed: number;
  /** The folder that run folders are made in. */
  readonly out: string;
  /** How many times every cell is measured. */
  readonly repeat: number;
  /** A run folder whose missing cells are to be measured. */
  readonly resume?: string;
  /** As resolved, for the record. */
  readonly parameters: RunParameters;
}

/** Unmeasured load before each window: so many rounds of the cell's concurrency, or a time. */
export type Warmup = { readonly rounds: number } | { readonly seconds: number };

export interface SweepOptions extends BenchmarkOptions {
  readonly concurrency: readonly number[];
  readonly inputTokens: readonly number[];
  readonly outputTokens: readonly number[];
  /** Of each cell; absent together with `durationS`: 4 rounds, at least 8 requests. */
  readonly requests?: number;
  readonly durationS?: number;
  readonly warmup: Warmup;
  readonly cache: "cold" | "warm";
}

export interface DecodeFloorOptions extends BenchmarkOptions {
  /** Timed runs; default of the benchmark: 3. */
  readonly runs: number;
  /** Of each run; default of the benchmark: 1500. */
  readonly maxTokens: number;
  /** The rate that is to be held; absent: it is measured and not judged. */
  readonly minTokS?: number;
  /** A run that accepted no draft token is inconclusive. */
  readonly requireSpeculation: boolean;
}
