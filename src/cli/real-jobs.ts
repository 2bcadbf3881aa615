import { JoulemarkError } from "../errors.ts";
import type { Jobs } from "./jobs.ts";

/** The program's own jobs. */
export const realJobs: Jobs = {
  sweep: () => missing("sweep"),
  decodeFloor: () => missing("decode-floor"),
  planDecodeFloor: ({ runs, maxTokens }) =>
    Array.from({ length: runs }, (_, run) => ({
      cell: run,
      repeat: run,
      label: `run ${run + 1}`,
      prefix: "",
      concurrency: 1,
      requests: 1,
      outputTokens: maxTokens,
      cache: "warm" as const,
    })),
  rederive: () => missing("rederive"),
  listRuns: () => missing("runs"),
};

function missing(what: string): never {
  throw new JoulemarkError("stopped", `${what} is not built yet`);
}
