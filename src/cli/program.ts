import { Command } from "commander";
import { softwareVersion } from "../records/software-version.ts";
import { decodeFloorCommand } from "./decode-floor.ts";
import { demoCommand } from "./demo.ts";
import { engineCommand } from "./engine.ts";
import type { Interrupts } from "./interrupts.ts";
import type { Jobs } from "./jobs.ts";
import { measureCliCommand } from "./measure.ts";
import type { Output } from "./output.ts";
import { railsCommand } from "./rails.ts";
import { realJobs } from "./real-jobs.ts";
import { rederiveCommand } from "./rederive.ts";
import { rooflineCommand } from "./roofline.ts";
import { runsCommand } from "./runs.ts";
import { sweepCommand } from "./sweep.ts";

/**
 * The whole command line. Parsing never exits by itself: errors are thrown.
 *
 * @param jobs - what benchmarks and runs are made with; tests give others.
 */
export function program(output: Output, interrupts: Interrupts, jobs: Jobs = realJobs): Command {
  const root = new Command("joulemark")
    .description(
      "Benchmarks an LLM serving endpoint and says what a token costs, in milliseconds and in joules.",
    )
    .version(softwareVersion())
    .enablePositionalOptions()
    .addCommand(sweepCommand(output, interrupts, jobs))
    .addCommand(decodeFloorCommand(output, interrupts, jobs))
    .addCommand(rederiveCommand(output, jobs))
    .addCommand(runsCommand(output, jobs))
    .addCommand(railsCommand(output, interrupts.signal))
    .addCommand(measureCliCommand(output, interrupts))
    .addCommand(rooflineCommand(output, interrupts.signal))
    .addCommand(engineCommand(output, interrupts.signal))
    .addCommand(demoCommand(output, interrupts, jobs));
  for (const command of [root, ...root.commands]) {
    command
      .exitOverride()
      .showSuggestionAfterError()
      .showHelpAfterError("(--help lists the flags)");
  }
  return root;
}
