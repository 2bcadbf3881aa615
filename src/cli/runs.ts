import { Command } from "commander";
import { runsTable } from "../report/runs-table.ts";
import type { Jobs } from "./jobs.ts";
import type { Output } from "./output.ts";
import { UsageError } from "./usage-error.ts";

/** `joulemark runs [DIR]`: the runs that were kept. */
export function runsCommand(output: Output, jobs: Jobs): Command {
  return new Command("runs")
    .summary("the runs that were kept, and how far each came")
    .description("Lists the run folders below a folder, the newest one last.")
    .argument("[dir]", "where run folders lie", "runs")
    .option("--json", "print one JSON object")
    .action(async (dir: string, flags: { readonly json?: boolean }) => {
      const runs = await listRuns(dir, jobs);
      output.result(
        flags.json
          ? JSON.stringify({ schema: "joulemark.runs/1", dir, runs }, null, 2)
          : runsTable(runs, dir, output.resultLook),
      );
    });
}

async function listRuns(dir: string, jobs: Jobs): ReturnType<Jobs["listRuns"]> {
  try {
    return await jobs.listRuns(dir);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
    throw new UsageError(`${dir} holds no runs (${message}): name the folder that --out named`);
  }
}
