#!/usr/bin/env node
import { CommanderError } from "commander";
import { JoulemarkError } from "../errors.ts";
import { catchInterrupts } from "./interrupts.ts";
import { errorText } from "./log-text.ts";
import { terminalOutput } from "./output.ts";
import { program } from "./program.ts";

/** Exit codes: 0 measured (and passed), 1 failed or a bug, 2 bad usage, 4 inconclusive, 130 interrupted. */
const output = terminalOutput();
const interrupts = catchInterrupts();
try {
  await program(output, interrupts).parseAsync(process.argv);
} catch (error) {
  process.exitCode = exitCodeFor(error);
}

function exitCodeFor(error: unknown): number {
  // The parser has said already what is wrong; its own code 0 is that of --help and --version.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (interrupts.received !== undefined) {
    output.note("joulemark: interrupted");
    return 130;
  }
  if (error instanceof JoulemarkError) {
    // In a file or a pipe a line stays a line, so that it can be searched for.
    const width = output.live ? output.noteLook.width : Number.POSITIVE_INFINITY;
    output.note(errorText(error.message, width));
    return error.code === "bad_option" ? 2 : 1;
  }
  output.note(`joulemark: a bug: ${error instanceof Error ? error.stack : String(error)}`);
  return 1;
}
