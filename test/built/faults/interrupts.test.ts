import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { EngineOptions } from "joulemark";
import { describe } from "vitest";
import { eventually } from "../../support/eventually.ts";
import {
  BRIEF,
  BRIEF_RAIL,
  expectSameAgain,
  type FaultBench,
  linesIn,
  railPid,
  reasonsOf,
  recordIn,
  statesOf,
  test,
  type WatchedRun,
} from "../../support/fault-bench.ts";

/** Minutes of one reply, for windows that are to be interrupted. */
const ENDLESS = ["--output-tokens", "15000"];
const TWO = ["--concurrency", "1,2", "--requests", "2"];

interface Stage {
  readonly engine?: EngineOptions;
  readonly flags: readonly string[];
  /** Resolves when the run is in it. */
  readonly reached: (bench: FaultBench, run: WatchedRun) => Promise<unknown>;
  readonly states: readonly string[];
}

const slowFrom = (fromRequest: number): EngineOptions => ({
  faults: [{ kind: "slow", delayMs: 60_000, fromRequest }],
});
const phase =
  (name: string): Stage["reached"] =>
  (bench) =>
    bench.event((event) => event.event === "phase" && event.phase === name);

const STAGES: readonly [string, Stage][] = [
  [
    "calibration",
    // The probe and a streamed trial come first.
    {
      engine: slowFrom(2),
      flags: BRIEF,
      reached: phase("calibrate"),
      states: ["not measured", "not measured"],
    },
  ],
  [
    "the idle baseline",
    {
      flags: ["--baseline", "60"],
      reached: (_bench, run) => railPid(run),
      states: ["not measured", "not measured"],
    },
  ],
  [
    "a warm-up",
    {
      flags: [...BRIEF_RAIL, ...ENDLESS],
      reached: phase("warm-up"),
      states: ["interrupted", "not measured"],
    },
  ],
  [
    "the quiet time before a window",
    {
      flags: ["--baseline", "0", "--settle", "60", "--rail-period", "50", "--output-tokens", "4"],
      reached: phase("settle"),
      states: ["interrupted", "not measured"],
    },
  ],
  [
    "a window",
    {
      flags: [...BRIEF_RAIL, ...ENDLESS, "--warmup", "0"],
      reached: phase("window"),
      states: ["interrupted", "not measured"],
    },
  ],
  [
    "the wait for the last readings of a window",
    {
      flags: ["--baseline", "0", "--settle", "0", "--rail-period", "20000", "--output-tokens", "4"],
      reached: (bench) =>
        bench
          .event((event) => event.event === "phase" && event.phase === "window")
          .then(() => phase("settle")(bench, undefined as never)),
      states: ["measured", "not measured"],
    },
  ],
];

describe.concurrent("Ctrl-C", () => {
  test("while the server is asked for the first time leaves nothing behind", async ({
    bench,
    expect,
  }) => {
    const engine = await bench.engine(slowFrom(0));
    const run = bench.bench("sweep", engine, BRIEF);
    await eventually(
      "the server is asked",
      () => run.said.stderr.includes("asking the server"),
      30_000,
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    run.child.kill("SIGINT");
    const end = await bench.over(run);
    expect(end.exitCode).toBe(130);
    expect(end.stderr).toContain("joulemark: interrupted");
    expect(end.stderr).not.toContain("a bug");
    expect(end.stdout).toBe("");
    expect(existsSync(bench.out)).toBe(false);
  });

  test.for(STAGES)("in %s keeps what was measured", async ([, stage], { bench, expect }) => {
    const engine = await bench.engine(stage.engine);
    const run = bench.bench("sweep", engine, [...TWO, ...stage.flags]);
    await stage.reached(bench, run);
    await new Promise((resolve) => setTimeout(resolve, 200));
    run.child.kill("SIGINT");
    const { exitCode, stderr, record, folder } = await bench.kept(run);
    expect(stderr).toContain("stopping; what was measured is kept");
    expect(stderr).toContain(`--resume ${folder}`);
    expect(stderr).not.toMatch(/a bug|not kept/);
    expect({ exitCode, interrupted: record.interrupted }).toEqual({
      exitCode: 130,
      interrupted: true,
    });
    expect(statesOf(record)).toEqual(stage.states);
    expect(record.damage).toEqual([]);
    for (const { state, metrics } of record.cells)
      if (state === "not measured") expect(metrics).toEqual({});
    await expectSameAgain(folder);
  });

  test("twice leaves at once, and the raw files tell what there was", async ({ bench, expect }) => {
    const hangs = { kind: "hang", afterTicks: 20, ignoreSigterm: true } as const;
    const engine = await bench.engine({ rail: { faults: [hangs] } });
    const run = bench.bench("sweep", engine, [...TWO, ...BRIEF_RAIL, ...ENDLESS, "--warmup", "0"]);
    await phase("window")(bench, run);
    await railPid(run);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    run.child.kill("SIGINT");
    await eventually("it is heard", () => run.said.stderr.includes("Once more"), 30_000);
    run.child.kill("SIGINT");
    const end = await bench.over(run);
    expect(end.exitCode).toBe(130);
    const again = await bench.start(["rederive", bench.folder(), "--json"]).ended;
    expect(again.exitCode).toBe(0);
    const record = recordIn(bench.folder());
    expect(record.interrupted).toBe(true);
    expect(statesOf(record)).toEqual(["interrupted", "not measured"]);
    await expectSameAgain(bench.folder());
  });
});

describe.concurrent("a run that was ended from outside", () => {
  test.for(["SIGTERM", "SIGHUP"] as const)("%s is as Ctrl-C", async (signal, { bench, expect }) => {
    const engine = await bench.engine();
    const shape = ["--concurrency", "1,2", "--requests", "200", "--output-tokens", "100"];
    const run = bench.bench("sweep", engine, [...BRIEF, ...shape]);
    const inWindow = (line: object): boolean => (line as { phase: string }).phase === "window";
    await bench.event((event) => event.event === "phase" && event.phase === "window");
    const requests = (): object[] =>
      existsSync(join(bench.folder(), "requests.jsonl"))
        ? linesIn(bench.folder(), "requests.jsonl").filter(inWindow)
        : [];
    await eventually("some requests have ended", () => requests().length >= 3, 30_000);
    run.child.kill(signal);
    const { exitCode, record, folder } = await bench.kept(run);
    expect(exitCode).toBe(130);
    expect(statesOf(record)).toEqual(["interrupted", "not measured"]);
    expect(record.damage).toEqual([]);
    // What had ended before is measured; what was cut off has not failed, and enters nothing.
    const [cell] = record.cells;
    const { ok, failed, cancelled = 0, notSent } = cell!.counts!;
    expect(ok).toBeGreaterThanOrEqual(3);
    expect(failed).toBe(0);
    expect(ok + cancelled + notSent).toBe(200);
    expect([cell!.ttftMs!.n, cell!.e2eMs!.n]).toEqual([ok, ok]);
    expect(reasonsOf(cell!)).toContain("interrupted");
    expect(cell!.isComparable).toBe(false);
    expect(record.metrics).not.toHaveProperty("peak_output_tok_s");
    await expectSameAgain(folder);
  });

  test.for(["SIGINT", "SIGKILL"] as const)(
    "after %s in the second cell goes on with --resume, and measures nothing twice",
    async (signal, { bench, expect }) => {
      const engine = await bench.engine();
      const flags = [...BRIEF, ...TWO, "--output-tokens", "400"];
      const run = bench.bench("sweep", engine, flags);
      await bench.event((event) => event.event === "cell_started" && event.cell === 1);
      await new Promise((resolve) => setTimeout(resolve, 300));
      run.child.kill(signal);
      expect((await bench.over(run)).exitCode).toBe(signal === "SIGINT" ? 130 : null);
      const folder = bench.folder();
      expect(existsSync(join(folder, "record.json"))).toBe(signal === "SIGINT");
      expect((await bench.start(["rederive", folder]).ended).exitCode).toBe(0);
      const before = recordIn(folder);
      expect(statesOf(before)).toEqual(["measured", "interrupted"]);
      const resumed = bench.start(["sweep", "--resume", folder]);
      const { exitCode, record } = await bench.kept(resumed);
      expect(exitCode).toBe(0);
      expect(record.interrupted).toBe(false);
      expect(statesOf(record)).toEqual(["measured", "measured"]);
      expect(record.cells[0]).toEqual(before.cells[0]);
      expect(record.cells[1]!.counts).toMatchObject({ ok: 2, failed: 0, notSent: 0 });
      const measured = linesIn(folder, "events.jsonl") as { event: string; cell?: number }[];
      expect(measured.filter(({ event, cell }) => event === "window" && cell === 0)).toHaveLength(
        1,
      );
      await expectSameAgain(folder);
    },
  );

  test("during a decode-floor tells no verdict that was not reached", async ({ bench, expect }) => {
    const engine = await bench.engine();
    const flags = ["--rail", "none", "--settle", "0", "--runs", "2", "--max-tokens", "10000"];
    // A reply that ended by itself would be a run with a rate.
    const endless = ["--extra-body", '{"ignore_eos":true}', "--min-tok-s", "1"];
    const run = bench.bench("decode-floor", engine, [...flags, ...endless]);
    await phase("window")(bench, run);
    await new Promise((resolve) => setTimeout(resolve, 300));
    run.child.kill("SIGINT");
    const { exitCode, record, folder } = await bench.kept(run);
    expect(exitCode).toBe(130);
    expect(record.verdict?.verdict).toBe("inconclusive");
    expect(Object.keys(record.metrics).filter((key) => key.startsWith("decode_tok_s"))).toEqual([]);
    expect(readFileSync(join(folder, "record.json"), "utf8")).not.toContain("null");
    await expectSameAgain(folder);
  });
});
