import type { LogLine } from "../rails/meter.ts";
import type { PhaseName } from "../records/run-event.ts";
import type { CellPlan, RunHeader } from "../records/run-header.ts";
import type { CellRecord, RunRecord } from "../records/run-record.ts";

/** What a benchmark yields while it runs. */
export type RunProgress =
  | { readonly kind: "started"; readonly header: RunHeader; readonly folder?: string }
  | { readonly kind: "log"; readonly line: LogLine }
  | {
      readonly kind: "phase";
      readonly phase: PhaseName;
      readonly cell?: CellPlan;
      /** How long it will take, where that is known. */
      readonly aboutS?: number;
    }
  | { readonly kind: "cell"; readonly record: CellRecord }
  | {
      readonly kind: "ended";
      readonly record: RunRecord;
      /** What could not be kept in the run's folder, once for each file. */
      readonly unwritten?: readonly string[];
    };

/** What can be asked of a benchmark at any moment, for the screen. */
export interface RunNow {
  readonly phase?: PhaseName;
  readonly cell?: CellPlan;
  readonly cellsDone: number;
  readonly cells: number;
  readonly inFlight: number;
  /** Of the cell that runs, in its phase. */
  readonly endedRequests: number;
  readonly failedRequests: number;
  readonly tokensPerS?: number;
  readonly powerW?: number;
  readonly startedMs: number;
}

/** A benchmark that has been started: what it yields, and what it is doing. */
export interface RunningBenchmark {
  readonly progress: AsyncGenerator<RunProgress, void, void>;
  now(): RunNow;
}
