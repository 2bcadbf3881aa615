import { Command } from "commander";
import { findProgram } from "../benchmarks/find-program.ts";
import { measureCommand } from "../benchmarks/measure.ts";
import { exitCodeOf } from "../benchmarks/run-command.ts";
import type { LogLine } from "../rails/meter.ts";
import { measureJson } from "../records/measure-json.ts";
import type { MeasureResult } from "../records/measure-result.ts";
import { createRunFolder, type RunFolder } from "../records/run-folder.ts";
import { measureTable } from "../report/measure-table.ts";
import type { Interrupts } from "./interrupts.ts";
import { logText } from "./log-text.ts";
import { meterOptions, type RailFlags, railFlags } from "./options.ts";
import type { Output } from "./output.ts";
import { path, seconds } from "./parse-values.ts";
import { type SettleFlags, settleOptions, settleSeconds } from "./settle-flags.ts";
import { UsageError } from "./usage-error.ts";

interface MeasureFlags extends RailFlags, SettleFlags {
  readonly baseline?: number;
  readonly out?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** `joulemark measure -- command …`: the joules of any command. */
export function measureCliCommand(output: Output, interrupts: Interrupts): Command {
  const command = new Command("measure")
    .summary("the joules of any command on any readable rail")
    .description(
      "Takes an idle baseline, runs the command with its own stdin, stdout and stderr, and says what energy the machine's rail took from its start to its end. The exit code is the command's own.",
    )
    .argument("<command...>", "the command and its arguments, best behind --");
  const settle = settleOptions("before the baseline and after the command");
  for (const flag of [...railFlags, ...settle]) command.addOption(flag);
  return command
    .option(
      "--baseline <s>",
      "length of the idle baseline in seconds, 0 for none (default: 2, longer for a slow sensor)",
      seconds,
    )
    .option("--out <dir>", "keep every reading and the record in a new folder below this one", path)
    .option("--json", "print one JSON object on stdout; the command's stdout goes to stderr")
    .option("--quiet", "no words on the way, the result alone")
    .passThroughOptions()
    .action(async (words: readonly string[], flags: MeasureFlags) => {
      const settle = settleSeconds(command);
      process.exitCode = await run(words, { flags, settle }, output, interrupts);
    });
}

async function run(
  [program = "", ...args]: readonly string[],
  { flags, settle }: { readonly flags: MeasureFlags; readonly settle: number | undefined },
  output: Output,
  interrupts: Interrupts,
): Promise<number> {
  const missing = await cannotRun(program);
  if (missing) {
    output.note(`joulemark: ${missing.why}`);
    return missing.exitCode;
  }
  const folder = flags.out === undefined ? undefined : await openFolder(flags.out);
  const say = ({ level, text }: LogLine): void => {
    if (!flags.quiet) output.note(logText({ level, text }, output.noteLook.width));
  };
  try {
    const result = await measureCommand(
      {
        command: program,
        args,
        stdoutToStderr: flags.json === true,
        meter: {
          ...meterOptions(flags),
          ...(settle === undefined ? {} : { settleMs: settle * 1000 }),
          ...(flags.baseline === undefined ? {} : { idleMs: flags.baseline * 1000 }),
          onEvent: (event) => folder?.append("rail.jsonl", event),
        },
      },
      {
        onLog: say,
        onCommand: (phase) => interrupts.leaveTo(phase === "started" ? "the command" : "us"),
      },
      interrupts.signal,
    );
    await show(result, flags, folder, output);
    return result.end.exitCode;
  } catch (error) {
    if (interrupts.received === undefined) throw error;
    output.note("joulemark: interrupted before the command was started; nothing was measured");
    return exitCodeOf(interrupts.received);
  } finally {
    for (const failure of (await folder?.close()) ?? [])
      output.note(`joulemark: warning: not written: ${failure}`);
  }
}

async function show(
  result: MeasureResult,
  flags: MeasureFlags,
  folder: RunFolder | undefined,
  output: Output,
): Promise<void> {
  if (flags.json) output.result(JSON.stringify(measureJson(result), null, 2));
  else output.note(measureTable(result, output.noteLook));
  if (folder === undefined) return;
  try {
    await folder.write("record.json", measureJson(result));
    if (!flags.quiet) output.note(`joulemark: readings and record kept in ${folder.path}`);
  } catch (error) {
    output.note(`joulemark: warning: the record was not written: ${(error as Error).message}`);
  }
}

async function cannotRun(
  program: string,
): Promise<{ readonly why: string; readonly exitCode: number } | undefined> {
  const found = await findProgram(program);
  if (found.state === "not-found")
    return { why: `${program}: command not found; nothing was measured`, exitCode: 127 };
  if (found.state === "not-executable")
    return { why: `${found.path} is not executable; nothing was measured`, exitCode: 126 };
  return undefined;
}

async function openFolder(parent: string): Promise<RunFolder> {
  try {
    return await createRunFolder(parent, "measure");
  } catch (error) {
    throw new UsageError(
      `--out ${parent}: ${(error as Error).message}; name a folder that can be written`,
    );
  }
}
