import type { DecodeFloorOptions, SweepOptions } from "../../src/benchmarks/benchmark-options.ts";
import { planDecodeFloor } from "../../src/benchmarks/decode-floor.ts";
import { planSweep } from "../../src/benchmarks/plan-sweep.ts";
import type { RunNow, RunningBenchmark, RunProgress } from "../../src/benchmarks/run-progress.ts";
import type { Interrupts } from "../../src/cli/interrupts.ts";
import type { Jobs } from "../../src/cli/jobs.ts";
import type { Output } from "../../src/cli/output.ts";
import { program } from "../../src/cli/program.ts";
import type { CellPlan, RunHeader } from "../../src/records/run-header.ts";
import type { RunRecord } from "../../src/records/run-record.ts";
import { cell, record } from "../report/records.ts";

/** What a command line did to the fake jobs, and what it said. */
export interface CliCall {
  readonly stdout: string;
  readonly stderr: string;
  /** As the program would end: its own code, or what its error means. */
  readonly exitCode: number;
  readonly error?: Error;
  readonly sweeps: readonly SweepOptions[];
  readonly floors: readonly DecodeFloorOptions[];
}

export interface FakeRun {
  /** What the run yields at its end; absent: it fails before there is a record. */
  readonly record?: RunRecord;
  /** Thrown when all has been yielded. */
  readonly failure?: Error;
}

/** Runs a command line in this process, with jobs that measure nothing. */
export async function callCli(
  words: readonly string[],
  fake: FakeRun = { record: record([cell(1), cell(2)]) },
): Promise<CliCall> {
  const said = { stdout: "", stderr: "" };
  const add = (stream: keyof typeof said, text: string): void => {
    said[stream] += text;
  };
  const look = { hasColour: false, width: 100 };
  const output: Output = {
    result: (text) => add("stdout", `${text}\n`),
    note: (text) => add("stderr", `${text}\n`),
    noteLook: look,
    resultLook: look,
  };
  const interrupts: Interrupts = {
    signal: new AbortController().signal,
    received: undefined,
    leaveTo: () => undefined,
  };
  const sweeps: SweepOptions[] = [];
  const floors: DecodeFloorOptions[] = [];
  const jobs: Jobs = {
    sweep(options) {
      sweeps.push(options);
      return fakeRun(planSweep(options), fake);
    },
    decodeFloor(options) {
      floors.push(options);
      return fakeRun(planDecodeFloor(options), fake);
    },
    planDecodeFloor,
    rederive: async () => fake.record ?? Promise.reject(fake.failure),
    listRuns: async (parent) => [{ name: `in ${parent}`, state: "complete" }],
  };
  const root = program(output, interrupts, jobs);
  for (const command of [root, ...root.commands])
    command.configureOutput({
      writeOut: (text) => add("stdout", text),
      writeErr: (text) => add("stderr", text),
    });
  process.exitCode = 0;
  try {
    await root.parseAsync(["node", "joulemark", ...words]);
    return { ...said, exitCode: Number(process.exitCode), sweeps, floors };
  } catch (error) {
    const { code } = error as { code?: string };
    const isUsage = code === "bad_option" || code?.startsWith("commander.");
    return { ...said, exitCode: isUsage ? 2 : 1, error: error as Error, sweeps, floors };
  } finally {
    process.exitCode = 0;
  }
}

function fakeRun(
  cells: readonly CellPlan[],
  { record: ended, failure }: FakeRun,
): RunningBenchmark {
  const now: RunNow = {
    cellsDone: 0,
    cells: cells.length,
    inFlight: 0,
    endedRequests: 0,
    failedRequests: 0,
    startedMs: 0,
  };
  async function* progress(): AsyncGenerator<RunProgress, void, void> {
    yield { kind: "phase", phase: "probe" };
    const header = { cells } as unknown as RunHeader;
    yield { kind: "started", header, folder: "runs/fake" };
    yield { kind: "log", line: { level: "warn", text: "no GPU here" } };
    for (const plan of cells) {
      yield { kind: "phase", phase: "settle", cell: plan, aboutS: 1.6 };
      yield { kind: "phase", phase: "window", cell: plan, aboutS: 12 };
      yield { kind: "cell", record: { ...cell(plan.concurrency), ...plan } };
    }
    if (ended !== undefined) yield { kind: "ended", record: ended };
    if (failure !== undefined) throw failure;
  }
  return { progress: progress(), now: () => now };
}
