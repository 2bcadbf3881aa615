import { Command } from "commander";
import { listRails } from "../rails/list-rails.ts";
import { railsJson } from "../records/rails-json.ts";
import { railsTable } from "../report/rails-table.ts";
import { endWith } from "./exit-code.ts";
import { nvidiaSmiFlags } from "./options.ts";
import type { Output } from "./output.ts";
import { checkNoProbe, type ProbeFlags, probeFlags, runProbe } from "./rails-probe.ts";

/** `joulemark rails`: every source of watts, and whether it can be read here. */
export function railsCommand(output: Output, signal: AbortSignal): Command {
  const command = new Command("rails")
    .summary("which power rails can be read on this machine, and why not")
    .description(
      "Tries every power rail for real and says of each whether it can be read here, what it covers and what not, over which time it averages, and how to make it readable. With --probe it measures the averaging time itself.",
    )
    .option("--json", "print one JSON object");
  for (const flag of [...nvidiaSmiFlags, ...probeFlags]) command.addOption(flag);
  return command.action(async (flags: ProbeFlags) => {
    if (flags.probe) return endWith(await runProbe(flags, output, signal));
    checkNoProbe(command);
    const reports = await listRails({
      ...(flags.nvidiaSmi === undefined ? {} : { nvidiaSmiPath: flags.nvidiaSmi }),
      startTimeoutMs: flags.railWait * 1000,
      signal,
    });
    output.result(
      flags.json
        ? JSON.stringify(railsJson(reports), null, 2)
        : railsTable(reports, output.resultLook),
    );
  });
}
