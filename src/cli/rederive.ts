import { Command } from "commander";
import { decodeFloorTable } from "../report/decode-floor-table.ts";
import { sweepTable } from "../report/sweep-table.ts";
import type { Jobs } from "./jobs.ts";
import type { Output } from "./output.ts";

/** `joulemark rederive RUN`: the record of a run, made anew from its raw files. */
export function rederiveCommand(output: Output, jobs: Jobs): Command {
  return new Command("rederive")
    .summary("makes the record of a run anew from its raw files")
    .description(
      "Reads the raw files of a run folder, writes its record.json anew and shows it. A run that was killed, or whose disk was full, gets the record of what it did measure.",
    )
    .argument("<run>", "the run folder")
    .option("--json", "print the record, one JSON object")
    .action(async (run: string, flags: { readonly json?: boolean }) => {
      const record = await jobs.rederive(run);
      const table = record.benchmark === "sweep" ? sweepTable : decodeFloorTable;
      output.result(
        flags.json ? JSON.stringify(record, null, 2) : table(record, output.resultLook),
      );
    });
}
