import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Engine, EngineOptions } from "joulemark";
import { describe } from "vitest";
import { eventually } from "../../support/eventually.ts";
import {
  BRIEF,
  expectSameAgain,
  type FaultBench,
  type KeptRun,
  reasonsOf,
  recordIn,
  statesOf,
  test,
} from "../../support/fault-bench.ts";

/** More than probe, trial and calibration ask: faults from here on are in the load. */
const IN_LOAD = 16;

const TWO = ["--concurrency", "1,2", "--requests", "2"];

type Fault = NonNullable<EngineOptions["faults"]>[number];

/** One cell of 40 requests against an engine that fails so. */
async function onFaulty(
  bench: FaultBench,
  faults: readonly Fault[],
  flags: readonly string[] = [],
): Promise<KeptRun> {
  const engine = await bench.engine({ faults });
  const one = ["--concurrency", "4", "--requests", "40", "--output-tokens", "8", "--warmup", "5"];
  return bench.kept(bench.bench("sweep", engine, [...BRIEF, ...one, ...flags]));
}

/** As an engine ends whose machine has no memory left. */
function kill({ pid }: Engine): void {
  process.kill(pid, "SIGKILL");
}

describe.concurrent("a target that is gone", () => {
  test("in a window stops the run, which keeps what it has and says how to go on", async ({
    bench,
    expect,
  }) => {
    const engine = await bench.engine();
    const flags = [...BRIEF, ...TWO, "--output-tokens", "400"];
    const run = bench.bench("sweep", engine, flags);
    await bench.event((event) => event.event === "cell_started" && event.cell === 1);
    await bench.event(
      (event) => event.event === "phase" && event.phase === "window" && event.cell === 1,
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    kill(engine);
    const { exitCode, stderr, stdout, record, folder } = await bench.kept(run);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/the target is gone[\s\S]*--resume/);
    expect(stderr).not.toContain("a bug");
    expect(stdout).toMatch(/^ +1 +\d+ .*\n +2 .* interrupted$/m);
    expect(statesOf(record)[0]).toBe("measured");
    expect(record.interrupted).toBe(true);
    expect(record.cells[0]!.counts).toMatchObject({ ok: 2, failed: 0 });
    expect(record.log.map(({ text }) => text).join("\n")).toMatch(
      /the target is gone|requests failed/,
    );
    await expectSameAgain(folder);

    await bench.engine({ port: Number(new URL(engine.url).port) });
    const again = await bench.kept(bench.start(["sweep", "--resume", folder]));
    expect(again.exitCode).toBe(0);
    expect(statesOf(again.record)).toEqual(["measured", "measured"]);
    expect(again.record.cells[0]).toEqual(record.cells[0]);
    await expectSameAgain(folder);
  });

  test("is not asked on and on until the time of the cell is over", async ({ bench, expect }) => {
    const engine = await bench.engine();
    const flags = [...BRIEF, "--concurrency", "2", "--duration", "60", "--warmup", "0"];
    const run = bench.bench("sweep", engine, flags);
    await bench.event((event) => event.event === "phase" && event.phase === "window");
    await new Promise((resolve) => setTimeout(resolve, 1500));
    kill(engine);
    const { exitCode, record, folder } = await bench.kept(run);
    expect(exitCode).toBe(1);
    const [cell] = record.cells;
    expect(record.damage).toEqual([]);
    expect(cell!.state).toBe("interrupted");
    expect(cell!.counts!.ok).toBeGreaterThan(0);
    expect(cell!.counts!.failed).toBeLessThan(200);
    expect(cell!.endMs! - cell!.startMs!).toBeLessThan(55_000);
    expect(cell!.validity).toContainEqual(
      expect.objectContaining({
        reason: "errors",
        detail: expect.stringContaining("target was gone"),
      }),
    );
    expect(record.metrics).not.toHaveProperty("peak_output_tok_s");
    await expectSameAgain(folder);
  });

  test("between two cells leaves the first as it was", async ({ bench, expect }) => {
    const engine = await bench.engine();
    const flags = ["--rail", "none", "--settle", "2", "--input-tokens", "16", "--warmup", "0"];
    const run = bench.bench("sweep", engine, [...flags, ...TWO, "--output-tokens", "8"]);
    await eventually("the first cell is over", () => run.said.stderr.includes("1 of 2"), 30_000);
    kill(engine);
    const { exitCode, stderr, record, folder } = await bench.kept(run);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/2 at once, window: the target is gone \(no connection: ECONNREFUSED/);
    expect(statesOf(record)).toEqual(["measured", "interrupted"]);
    expect(record.cells[1]!.ttftMs).toBeUndefined();
    expect(record.cells[1]!.tokens?.output ?? 0).toBe(0);
    await expectSameAgain(folder);
  });

  test("in a decode-floor is a failure, and no verdict", async ({ bench, expect }) => {
    const engine = await bench.engine();
    const flags = ["--rail", "none", "--settle", "0", "--runs", "3", "--max-tokens", "400"];
    const run = bench.bench("decode-floor", engine, [...flags, "--min-tok-s", "1"]);
    await bench.event((event) => event.event === "cell_started" && event.cell === 1);
    kill(engine);
    const { exitCode, record, folder } = await bench.kept(run);
    expect(exitCode).toBe(1);
    expect(record.verdict?.verdict).toBe("inconclusive");
    expect(statesOf(record)[0]).toBe("measured");
    expect(statesOf(record)[2]).toBe("not measured");
    await expectSameAgain(folder);
  });

  test("in all but its port, answering errors alone, stops the run too", async ({
    bench,
    expect,
  }) => {
    const fault = { kind: "status", status: 503, fromRequest: IN_LOAD } as const;
    const { exitCode, stderr, record } = await onFaulty(bench, [fault], ["--warmup", "30"]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /the first requests failed in a row \(\d+ http_status|too many requests/,
    );
    expect(record.interrupted).toBe(true);
    expect(record.metrics).not.toHaveProperty("peak_output_tok_s");
  });
});

describe.concurrent("requests that fail", () => {
  test("3 of 10 are counted, told and enter no figure", async ({ bench, expect }) => {
    const fault = { kind: "status", status: 503, share: 0.3, fromRequest: IN_LOAD } as const;
    const { exitCode, stdout, record, folder } = await onFaulty(bench, [fault]);
    expect(exitCode).toBe(0);
    const cell = record.cells[0]!;
    const { ok, failed, failedByKind } = cell.counts!;
    expect(ok + failed).toBe(40);
    expect(failed).toBeGreaterThan(2);
    expect(failedByKind).toEqual({ http_status: failed });
    for (const figure of [cell.ttftMs, cell.e2eMs, cell.tpotMs]) expect(figure!.n).toBe(ok);
    expect(cell.itlEventMs!.n).toBe(ok * 7);
    expect(cell.tokens).toMatchObject({ output: ok * 8, isEstimated: false });
    expect(cell.isComparable).toBe(false);
    expect(reasonsOf(cell)).toContain("errors");
    expect(cell.validity.find(({ reason }) => reason === "errors")!.detail).toMatch(
      new RegExp(`^${failed} of 40 requests failed: ${failed} http_status; the first: HTTP 503`),
    );
    expect(stdout).toContain("[errors]");
    expect(stdout).toMatch(/peak +—/);
    expect(record.metrics).not.toHaveProperty("peak_output_tok_s");
    await expectSameAgain(folder);
  });

  test("in many ways are told by kind", async ({ bench, expect }) => {
    const scope = { share: 0.15, fromRequest: IN_LOAD };
    const faults: Fault[] = [
      { kind: "garbage", afterEvents: 2, ...scope },
      { kind: "reset", afterEvents: 2, ...scope },
      { kind: "close", afterEvents: 2, ...scope },
      { kind: "error", afterEvents: 2, ...scope },
    ];
    const run = await onFaulty(bench, faults, ["--requests", "80"]);
    expect(run.exitCode).toBe(0);
    const { counts, ttftMs, e2eMs } = run.record.cells[0]!;
    expect(Object.keys(counts!.failedByKind).toSorted()).toEqual([
      "connection_reset",
      "malformed",
      "stream_error",
      "truncated",
    ]);
    expect([ttftMs!.n, e2eMs!.n]).toEqual([counts!.ok, counts!.ok]);
    await expectSameAgain(run.folder);
  });

  test("by their time limit end, and the run goes on", async ({ bench, expect }) => {
    const fault = { kind: "stall", afterEvents: 2, share: 0.2, fromRequest: IN_LOAD } as const;
    const run = await onFaulty(bench, [fault], ["--timeout", "1.5", "--requests", "20"]);
    expect(run.exitCode).toBe(0);
    const { counts, e2eMs } = run.record.cells[0]!;
    expect(counts!.failedByKind).toHaveProperty("timeout");
    expect(counts!.ok + counts!.failed).toBe(20);
    expect(e2eMs!.n).toBe(counts!.ok);
    await expectSameAgain(run.folder);
  });
});

describe.concurrent("replies that are not what was asked", () => {
  test("and too short make a cell that is not comparable", async ({ bench, expect }) => {
    const { exitCode, record, folder } = await onFaulty(bench, [{ kind: "short", tokens: 5 }]);
    expect(exitCode).toBe(0);
    const [cell] = record.cells;
    expect(reasonsOf(cell!)).toContain("short_completions");
    expect(cell!.tokens).toMatchObject({ minCompletion: 5, output: 200 });
    expect(cell!.isComparable).toBe(false);
    await expectSameAgain(folder);
  });

  test("and too short make a decode-floor inconclusive, never a pass", async ({
    bench,
    expect,
  }) => {
    const engine = await bench.engine({ faults: [{ kind: "short", tokens: 20 }] });
    const flags = ["--rail", "none", "--runs", "2", "--max-tokens", "100", "--min-tok-s", "1"];
    const run = await bench.kept(bench.bench("decode-floor", engine, flags));
    expect(run.exitCode).toBe(4);
    expect(run.record.verdict).toMatchObject({ verdict: "inconclusive" });
    expect(run.stdout).toMatch(/INCONCLUSIVE[\s\S]*20 of 100 tokens/);
  });

  test("and without usage have estimated tokens, which is said", async ({ bench, expect }) => {
    const { exitCode, stdout, record, folder } = await onFaulty(bench, [{ kind: "no-usage" }]);
    expect(exitCode).toBe(0);
    const [cell] = record.cells;
    expect(cell!.tokens).toMatchObject({ output: 320, isEstimated: true });
    expect(cell!.tokens).not.toHaveProperty("prompt");
    expect(cell!.warnings.join()).toContain("estimated");
    expect(stdout).toContain("estimated");
    await expectSameAgain(folder);
  });
});

describe.concurrent("the server's prompt cache", () => {
  const cached = async (
    bench: FaultBench,
    engine: Engine,
    flags: readonly string[],
  ): Promise<KeptRun["record"]["cells"][number]> => {
    const one = ["--concurrency", "2", "--requests", "6", "--output-tokens", "8", "--seed", "5"];
    const shape = ["--rail", "none", "--settle", "0", "--input-tokens", "128", ...one];
    const run = bench.bench("sweep", engine, [...shape, ...flags]);
    const { exitCode } = await bench.over(run);
    if (exitCode !== 0) throw new Error(run.said.stderr);
    const newest = readdirSync(bench.out).toSorted().at(-1)!;
    return recordIn(join(bench.out, newest)).cells[0]!;
  };

  test("is warm where that was asked for, and cold prompts that it knows are told", async ({
    bench,
    expect,
  }) => {
    const engine = await bench.engine();
    const warm = await cached(bench, engine, ["--cache", "warm"]);
    expect(reasonsOf(warm)).not.toContain("cache_uncontrolled");
    expect(warm.tokens!.cachedPrompt).toBeGreaterThan(6 * 64);
    // The same seed makes the same prompts, which are not new to this server any more.
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const cold = await cached(bench, engine, ["--cache", "cold"]);
    expect(reasonsOf(cold)).toContain("cache_uncontrolled");
    expect(cold.isComparable).toBe(false);
  });

  test("is not warm on a server that has none", async ({ bench, expect }) => {
    const engine = await bench.engine({ set: { hasPrefixCache: false } });
    const warm = await cached(bench, engine, ["--cache", "warm"]);
    expect(reasonsOf(warm)).toContain("cache_uncontrolled");
    expect(warm.isComparable).toBe(false);
  });

  test("is cold for prompts that are new", async ({ bench, expect }) => {
    const engine = await bench.engine();
    const cold = await cached(bench, engine, ["--cache", "cold"]);
    expect(reasonsOf(cold)).not.toContain("cache_uncontrolled");
  });
});
