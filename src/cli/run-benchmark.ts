import type { RunningBenchmark } from "../benchmarks/run-progress.ts";
import type { RunRecord } from "../records/run-record.ts";
import type { Look } from "../report/facts-table.ts";
import type { BenchmarkFlags } from "./benchmark-flags.ts";
import { exitCodeOf } from "./exit-code.ts";
import type { Interrupts } from "./interrupts.ts";
import type { Output } from "./output.ts";
import { openScreen } from "./screen.ts";

/** How the record of one benchmark is shown. */
export interface Shown {
  readonly table: (record: RunRecord, look: Look) => string;
  readonly flags: Pick<BenchmarkFlags, "quiet" | "json" | "requireEnergy">;
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
  if (ended.folder !== undefined) {
    if (ended.unwritten.length > 0) output.note(unwrittenText(ended.folder, ended.unwritten));
    else if (!flags.quiet) output.note(keptText(ended.folder, ended.record, output.noteLook.width));
  }
  if (ended.failure !== undefined) throw ended.failure;
  if (ended.record === undefined) return 1;
  const exitCode = exitCodeOf(ended.record, flags.requireEnergy === true);
  // What was to be kept is not: that is a failure of its own.
  return exitCode === 0 && ended.unwritten.length > 0 ? 1 : exitCode;
}

interface EndedRun {
  readonly record?: RunRecord;
  readonly folder?: string;
  readonly unwritten: readonly string[];
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
  let ended: EndedRun = { unwritten: [] };
  try {
    for await (const progress of running.progress) {
      if (progress.kind === "started" && progress.folder !== undefined)
        ended = { ...ended, folder: progress.folder };
      if (progress.kind === "ended") {
        const { record, unwritten = [] } = progress;
        ended = { ...ended, record, unwritten };
      }
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

/** What is shown is all there is of a run that could not be kept. */
function unwrittenText(folder: string, unwritten: readonly string[]): string {
  return [
    `\njoulemark: warning: not kept as a whole in ${folder}:`,
    ...unwritten.map((text) => `  ${text}`),
    "  what is shown here is the whole result: keep it",
  ].join("\n");
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
