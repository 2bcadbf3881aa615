import type { DecodeFloorOptions, SweepOptions } from "../benchmarks/benchmark-options.ts";
import type { RunningBenchmark } from "../benchmarks/run-progress.ts";
import type { RunListing } from "../records/list-runs.ts";
import type { CellPlan } from "../records/run-header.ts";
import type { RunRecord } from "../records/run-record.ts";

/** What the commands about runs set going; tests put others in their place. */
export interface Jobs {
  sweep(options: SweepOptions, signal: AbortSignal): RunningBenchmark;
  decodeFloor(options: DecodeFloorOptions, signal: AbortSignal): RunningBenchmark;
  planDecodeFloor(options: Pick<DecodeFloorOptions, "runs" | "maxTokens">): readonly CellPlan[];
  /** Makes the record of a run folder anew from its raw files, and puts it in place. */
  rederive(run: string): Promise<RunRecord>;
  /** The runs below a folder, the oldest one first. */
  listRuns(parent: string): Promise<readonly RunListing[]>;
}
