import { Command } from "commander";
import { softwareVersion } from "../records/software-version.ts";
import { demoCommand } from "./demo.ts";
import { engineCommand } from "./engine.ts";
import type { Interrupts } from "./interrupts.ts";
import { measureCliCommand } from "./measure.ts";
import type { Output } from "./output.ts";
import { railsCommand } from "./rails.ts";
import { rooflineCommand } from "./roofline.ts";

/** The whole command line. Parsing never exits by itself: errors are thrown. */
export function program(output: Output, interrupts: Interrupts): Command {
  const root = new Command("joulemark")
    .description(
      "Benchmarks an LLM serving endpoint and says what a token costs, in milliseconds and in joules.",
    )
    .version(softwareVersion())
    .enablePositionalOptions()
    .addCommand(railsCommand(output, interrupts.signal))
    .addCommand(measureCliCommand(output, interrupts))
    .addCommand(rooflineCommand(output, interrupts.signal))
    .addCommand(engineCommand(output, interrupts.signal))
    .addCommand(demoCommand(output, interrupts));
  for (const command of [root, ...root.commands]) {
    command
      .exitOverride()
      .showSuggestionAfterError()
      .showHelpAfterError("(--help lists the flags)");
  }
  return root;
}
