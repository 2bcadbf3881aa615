import type { RunningBenchmark } from "../benchmarks/run-progress.ts";
import type { RunRecord } from "../records/run-record.ts";
import type { Look } from "../report/facts-table.ts";
import type { BenchmarkFlags } from "./benchmark-flags.ts";
import { exitCodeOf } from "./exit-code.ts";
import type { Interrupts } from "./interrupts.ts";
import type { Output } from "./output.ts";
import { openScreen } from "./screen.ts";
import { UsageError } from "./usage-error.ts";

/** How the record of one benchmark is shown. */
export interface Shown {
  readonly table: (record: RunRecord, look: Look) => string;
  readonly flags: Pick<BenchmarkFlags, "out" | "quiet" | "json" | "requireEnergy">;
}

/** Runs a benchmark to its end, shows it while it runs and what came out. @returns the exit code. */
export async function runBenchmark(
  running: RunningBenchmark,
  { table, flags }: Shown,
  output: Output,
  interrupts: Interrupts,
): Promise<number> {
  const ended = await watch(running, flags.quiet === true, output, interrupts);
  if (ended.record !== undefined) showRecord(ended.record, { table, flags }, output);
  if (ended.folder !== undefined && !flags.quiet)
    output.note(keptText(ended.folder, ended.record, output.noteLook.width));
  if (ended.failure !== undefined) throw explained(ended.failure, flags.out);
  return ended.record === undefined ? 1 : exitCodeOf(ended.record, flags.requireEnergy === true);
}

interface EndedRun {
  readonly record?: RunRecord;
  readonly folder?: string;
  /** What ended it before its end; what it measured until then is in the record all the same. */
  readonly failure?: unknown;
}

async function watch(
  running: RunningBenchmark,
  isQuiet: boolean,
  output: Output,
  interrupts: Interrupts,
): Promise<EndedRun> {
  const screen = openScreen(output, isQuiet, running);
  const { signal } = interrupts;
  const stopping = (): void =>
    screen.say("stopping; what was measured is kept. Once more, and it leaves at once");
  signal.addEventListener("abort", stopping, { once: true });
  let ended: EndedRun = {};
  try {
    for await (const progress of running.progress) {
      if (progress.kind === "started" && progress.folder !== undefined)
        ended = { ...ended, folder: progress.folder };
      if (progress.kind === "ended") ended = { ...ended, record: progress.record };
      screen.show(progress);
    }
    return ended;
  } catch (failure) {
    return { ...ended, failure };
  } finally {
    signal.removeEventListener("abort", stopping);
    screen.close();
  }
}

/** The record is the result; with `--json` people read their table on stderr. */
function showRecord(record: RunRecord, { table, flags }: Shown, output: Output): void {
  if (!flags.json) {
    output.result(`${flags.quiet ? "" : "\n"}${table(record, output.resultLook)}`);
    return;
  }
  if (!flags.quiet) output.note(`\n${table(record, output.noteLook)}`);
  output.result(JSON.stringify(record, null, 2));
}

/** Where the run lies, and what may be typed next. */
function keptText(folder: string, record: RunRecord | undefined, width: number): string {
  const isWhole = record === undefined || !record.interrupted;
  const [command, what] = isWhole
    ? [`joulemark rederive ${folder}`, "makes the record anew from the raw files"]
    : [`joulemark ${record.benchmark} --resume ${folder}`, "measures what is missing"];
  const line = `  ${command}   ${what}`;
  return `\nkept in ${folder}\n${line.length <= width ? line : `  ${command}\n      ${what}`}`;
}

/** A folder that cannot be made was named by the user; all else is told as it came. */
function explained(failure: unknown, out: string): unknown {
  const { syscall, message } = failure as NodeJS.ErrnoException;
  return syscall === "mkdir"
    ? new UsageError(`--out ${out}: ${message}; name a folder that can be written`)
    : failure;
}
