import { decodeFloor, planDecodeFloor } from "../benchmarks/decode-floor.ts";
import { sweep } from "../benchmarks/sweep.ts";
import { listRuns } from "../records/list-runs.ts";
import { rederive } from "../records/rederive.ts";
import type { Jobs } from "./jobs.ts";

/** The program's own jobs. */
export const realJobs: Jobs = { sweep, decodeFloor, planDecodeFloor, rederive, listRuns };
