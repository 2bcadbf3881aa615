import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { SweepOptions } from "../../../../src/benchmarks/benchmark-options.ts";
import type { RunProgress } from "../../../../src/benchmarks/run-progress.ts";
import type { Engine } from "../../../../src/engine/start-engine.ts";
import type { CellRecord, RunRecord } from "../../../../src/records/run-record.ts";

const DIST = new URL("../../../../dist/", import.meta.url).href;

type StartEngine = typeof import("../../../../src/engine/start-engine.ts");
type Rederive = typeof import("../../../../src/records/rederive.ts");

const engineRoom: StartEngine = await import(`${DIST}engine/start-engine.js` as string);
const recordsRoom: Rederive = await import(`${DIST}records/rederive.js` as string);
export const startEngine: StartEngine["startEngine"] = engineRoom.startEngine;
export const rederive: Rederive["rederive"] = recordsRoom.rederive;
const { sweep } = (await import(
  `${DIST}benchmarks/sweep.js` as string
)) as typeof import("../../../../src/benchmarks/sweep.ts");
const { decodeFloor } = (await import(
  `${DIST}benchmarks/decode-floor.js` as string
)) as typeof import("../../../../src/benchmarks/decode-floor.ts");
const { parseTarget } = (await import(
  `${DIST}target/parse-target.js` as string
)) as typeof import("../../../../src/target/parse-target.ts");

export const KEY = "sk-never-to-be-seen-4711";

type Plain = Omit<SweepOptions, "target">;

/** Two cells of the built-in engine, on its stand-in rail. */
export function optionsOf(engine: Engine, out: string, more: Partial<Plain> = {}): Plain {
  return {
    load: { threads: 1, endpoint: "chat" },
    meter: { nvidiaSmiPath: engine.nvidiaSmiPath, periodMs: 50, settleMs: 200, idleMs: 400 },
    requireEnergy: false,
    settleMs: 100,
    seed: 1,
    out,
    repeat: 1,
    parameters: { concurrency: [1, 2] },
    concurrency: [1, 2],
    inputTokens: [32],
    outputTokens: [16],
    requests: 4,
    warmup: { rounds: 1 },
    cache: "cold",
    ...more,
  };
}

/** What a run gave while it went on, and at its end. */
export interface Finished {
  readonly folder: string;
  readonly cells: readonly CellRecord[];
  readonly record: RunRecord;
}

const targetOf = ({ url }: Engine) => parseTarget(url, { env: { KEY }, apiKeyEnv: "KEY" });

/** Runs a sweep to its end in this process. */
export async function runSweep(engine: Engine, options: Plain): Promise<Finished> {
  const { progress } = sweep({ ...options, target: targetOf(engine) }, neverAborted());
  return finished(progress);
}

export async function runDecodeFloor(engine: Engine, options: Plain): Promise<Finished> {
  // By the server's own times, which a busy machine cannot make inconclusive.
  const load = { ...options.load, extraBody: { timings: true } };
  const target = targetOf(engine);
  const { progress } = decodeFloor(
    { ...options, load, target, runs: 2, maxTokens: 40, requireSpeculation: false },
    neverAborted(),
  );
  return finished(progress);
}

/** Starts a sweep and takes no more of it after its first cell. @returns its folder. */
export async function leaveSweep(engine: Engine, options: Plain): Promise<string> {
  let folder = "";
  const { progress } = sweep({ ...options, target: targetOf(engine) }, neverAborted());
  for await (const one of progress) {
    if (one.kind === "started") folder = one.folder!;
    if (one.kind === "cell") break;
  }
  return folder;
}

/** A sweep that is interrupted so long after the window of a cell has begun. */
export async function abortSweep(
  engine: Engine,
  options: Plain,
  { cell, afterMs }: { readonly cell: number; readonly afterMs: number },
): Promise<Finished> {
  const interrupt = new AbortController();
  const { progress } = sweep({ ...options, target: targetOf(engine) }, interrupt.signal);
  return finished(progress, (one) => {
    if (one.kind === "phase" && one.phase === "window" && one.cell?.cell === cell)
      setTimeout(() => interrupt.abort(), afterMs);
  });
}

async function finished(
  progress: AsyncGenerator<RunProgress>,
  look: (one: RunProgress) => void = () => {},
): Promise<Finished> {
  const cells: CellRecord[] = [];
  let folder = "";
  for await (const one of progress) {
    look(one);
    if (one.kind === "started") folder = one.folder!;
    if (one.kind === "cell") cells.push(one.record);
    if (one.kind === "ended") return { folder, cells, record: one.record };
  }
  throw new Error("the run did not end");
}

const neverAborted = (): AbortSignal => new AbortController().signal;

const PROGRAM = `
  import { sweep } from "${DIST}benchmarks/sweep.js";
  import { parseTarget } from "${DIST}target/parse-target.js";
  const { url, key, ...options } = JSON.parse(process.argv[1]);
  const target = parseTarget(url, { env: { KEY: key }, apiKeyEnv: "KEY" });
  for await (const one of sweep({ ...options, target }, new AbortController().signal).progress) {
    if (one.kind === "started") console.log("started " + one.folder);
    if (one.kind === "cell") console.log("cell " + one.record.cell);
    if (one.kind === "ended") console.log("ended");
  }
  process.exit(0);
`;

/** A sweep in a process of its own. */
export interface SweepChild {
  readonly child: ChildProcess;
  readonly folder: Promise<string>;
  /** Cells that it has said to be measured, as far as its words were read. */
  readonly cells: readonly number[];
  /** Resolves when it is gone, and all its words were read. */
  readonly gone: Promise<unknown>;
}

export function startSweep(engine: Engine, options: Plain): SweepChild {
  const args = JSON.stringify({ ...options, url: engine.url, key: KEY });
  const child = spawn(process.execPath, ["--input-type=module", "-e", PROGRAM, args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const cells: number[] = [];
  const lines = createInterface({ input: child.stdout });
  const gone = Promise.all([once(child, "exit"), once(lines, "close")]);
  const folder = new Promise<string>((resolve, reject) => {
    lines.on("line", (line) => {
      const [what, detail = ""] = line.split(" ");
      if (what === "started") resolve(detail);
      if (what === "cell") cells.push(Number(detail));
    });
    gone.then(() => reject(new Error("it ended before it had started")), reject);
  });
  return { child, folder, cells, gone };
}
