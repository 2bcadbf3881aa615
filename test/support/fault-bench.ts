import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine, EngineOptions } from "joulemark";
import { expect, test as plainTest, type TestAPI } from "vitest";
import type { RunEvent } from "../../src/records/run-event.ts";
import type { CellRecord, RunRecord } from "../../src/records/run-record.ts";
import { childrenOf, commandOf } from "./children.ts";
import { eventually, isAlive } from "./eventually.ts";
import { type CliEnd, type CliRun, startCli, startProgram } from "./run-cli.ts";

const { startEngine } = (await import("joulemark" as string)) as typeof import("joulemark");
const { rederive } = (await import(
  "../../dist/records/rederive.js" as string
)) as typeof import("../../src/records/rederive.ts");

/** Cells of a few requests that take a moment each, where the rail is not the matter. */
export const BRIEF: readonly string[] = ["--rail", "none", "--settle", "0", "--input-tokens", "16"];

/** A rail that is read often, and little quiet time. */
export const BRIEF_RAIL: readonly string[] = [
  "--rail-period",
  "50",
  "--settle",
  "0.3",
  "--baseline",
  "0.5",
];

/** A benchmark that runs in a process of its own, and what it leaves behind. */
export interface WatchedRun extends CliRun {
  /** Every process below it that was seen. */
  readonly children: ReadonlySet<number>;
}

export interface KeptRun extends CliEnd {
  readonly folder: string;
  readonly record: RunRecord;
}

/** A place for one test with an engine, a folder for runs, and an eye on what is left of them. */
export class FaultBench {
  readonly home: string = mkdtempSync(join(tmpdir(), "joulemark-faults-"));
  readonly out: string = join(this.home, "runs");
  readonly #engines: Engine[] = [];
  readonly #runs: WatchedRun[] = [];
  readonly #undo: (() => void)[] = [];

  async engine(options: EngineOptions = {}): Promise<Engine> {
    const dir = mkdtempSync(join(this.home, "rail-"));
    const rail = { dir, ...options.rail };
    const engine = await startEngine({ profile: "tiny", ...options, rail });
    this.#engines.push(engine);
    return engine;
  }

  /** Starts any command, and watches what it starts. */
  start(args: readonly string[], env: NodeJS.ProcessEnv = {}): WatchedRun {
    return this.#watched(startCli(args, { env: { ...process.env, ...env } }));
  }

  /** The same for a program that is not `joulemark` itself. */
  startProgram(program: string, args: readonly string[]): WatchedRun {
    return this.#watched(startProgram(program, args));
  }

  /** Undone when the test is over, the last one first. */
  atClose(undo: () => void): void {
    this.#undo.push(undo);
  }

  #watched(run: CliRun): WatchedRun {
    const children = new Set<number>();
    const watch = setInterval(() => {
      for (const pid of childrenOf(run.child.pid!)) children.add(pid);
    }, 30);
    run.child.once("exit", () => clearInterval(watch));
    const watched = { ...run, children };
    this.#runs.push(watched);
    return watched;
  }

  /** Starts a benchmark against an engine. */
  bench(
    name: "sweep" | "decode-floor",
    { url, nvidiaSmiPath }: Engine,
    flags: readonly string[],
    env: NodeJS.ProcessEnv = {},
  ): WatchedRun {
    const where = ["--target", url, "--nvidia-smi", nvidiaSmiPath, "--out", this.out];
    return this.start([name, ...where, ...flags], env);
  }

  /** Waits for a run that keeps its record; nothing is left of it but its files. */
  async kept(run: WatchedRun): Promise<KeptRun> {
    const end = await this.over(run);
    const folder = this.folder();
    expect(readdirSync(folder).filter((file) => file.endsWith(".part"))).toEqual([]);
    return { ...end, folder, record: recordIn(folder) };
  }

  /** Waits for a run to be over, and all that it started. */
  async over(run: WatchedRun): Promise<CliEnd> {
    const end = await run.ended;
    await eventually("nothing is left", () => ![...run.children].some(isAlive), 30_000);
    return end;
  }

  /** The one run folder. */
  folder(): string {
    const folders = readdirSync(this.out);
    expect(folders).toHaveLength(1);
    return join(this.out, folders[0]!);
  }

  /** Waits until the run in the one folder has had such an event. */
  async event(isIt: (event: RunEvent) => boolean, withinMs = 30_000): Promise<void> {
    await eventually("the event", () => this.#events().some(isIt), withinMs);
  }

  async close(): Promise<void> {
    for (const { child, children } of this.#runs) {
      child.kill("SIGKILL");
      for (const pid of [...children].filter(isAlive)) process.kill(pid, "SIGKILL");
    }
    for (const undo of this.#undo.toReversed()) undo();
    await Promise.all(this.#engines.map((engine) => engine.close()));
    rmSync(this.home, { recursive: true });
  }

  #events(): RunEvent[] {
    try {
      const [folder] = readdirSync(this.out);
      return eventsIn(join(this.out, folder ?? ""));
    } catch {
      return [];
    }
  }
}

/** A test with a bench of its own. */
export const test: TestAPI<{ bench: FaultBench }> = plainTest.extend<{ bench: FaultBench }>({
  bench: async ({ task: _task }, use) => {
    const bench = new FaultBench();
    await use(bench);
    await bench.close();
  },
});

export function recordIn(folder: string): RunRecord {
  return JSON.parse(readFileSync(join(folder, "record.json"), "utf8")) as RunRecord;
}

/** The lines of a file of a run that are whole. */
export function linesIn(folder: string, file: string): object[] {
  const whole = readFileSync(join(folder, file), "utf8").split("\n").slice(0, -1);
  return whole.map((line) => JSON.parse(line) as object);
}

function eventsIn(folder: string): RunEvent[] {
  return linesIn(folder, "events.jsonl") as RunEvent[];
}

/** Makes the record anew, which must not change a byte of it. */
export async function expectSameAgain(folder: string): Promise<void> {
  const before = readFileSync(join(folder, "record.json"), "utf8");
  await rederive(folder);
  expect(readFileSync(join(folder, "record.json"), "utf8")).toBe(before);
}

export const statesOf = ({ cells }: RunRecord): string[] => cells.map(({ state }) => state);

export const reasonsOf = ({ validity }: CellRecord): string[] =>
  validity.map(({ reason }) => reason);

/** A figure of energy stands only where nothing refuses it. */
export function expectHonestEnergy(cell: CellRecord): void {
  const isRefused = cell.validity.some(({ refuses }) => refuses === "energy");
  const keys = Object.keys(cell.metrics).filter((key) => /_(energy|joules|mean_power)/.test(key));
  if (isRefused || cell.state === "not measured") expect(keys).toEqual([]);
  else if (cell.state === "measured") expect(keys).not.toEqual([]);
}

/** The loop of `nvidia-smi` below a run. */
export async function railPid(run: WatchedRun): Promise<number> {
  const find = (): number | undefined =>
    childrenOf(run.child.pid!).find((pid) => commandOf(pid).includes("-lms"));
  await eventually("the rail is read", () => find() !== undefined, 30_000);
  return find()!;
}
