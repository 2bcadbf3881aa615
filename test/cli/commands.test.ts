import { beforeEach, describe, expect, test, vi } from "vitest";
import { exitCodeOf } from "../../src/cli/exit-code.ts";
import type { RunRecord } from "../../src/records/run-record.ts";
import { cell, floorRun, record, refused, unmeasured, withoutRail } from "../report/records.ts";
import { callCli } from "./fake-jobs.ts";

const SWEEP = [
  "sweep",
  "--target",
  "http://127.0.0.1:8000",
  "--model",
  "m",
  "--concurrency",
  "1,2",
];

beforeEach(() => vi.stubEnv("JOULEMARK_TARGET", undefined));

describe("a sweep", () => {
  test("says its phases and cells in plain lines, then the table, then where it was kept", async () => {
    const { stdout, stderr, exitCode } = await callCli(SWEEP);
    expect(stderr.split("\n")).toEqual([
      "joulemark: asking the server",
      "joulemark: warning: no GPU here",
      "joulemark: 1 at once: measuring, about 12 s",
      "joulemark: 1 of 2 · 1 at once: 54.3 tok/s, TTFT 42.9 ms, TPOT 18.1 ms, 4.70 J/token, 255 W",
      "joulemark: 2 at once: measuring, about 12 s",
      "joulemark: 2 of 2 · 2 at once: 106 tok/s, TTFT 44.9 ms, TPOT 18.1 ms, 2.52 J/token, 267 W",
      "",
      "kept in runs/fake",
      "  joulemark rederive runs/fake   makes the record anew from the raw files",
      "",
    ]);
    expect(stdout).toMatch(/^\njoulemark sweep · llama/);
    expect(exitCode).toBe(0);
  });

  test("with --json has the record alone on stdout, and the table on stderr", async () => {
    const made = record([cell(1)]);
    const { stdout, stderr } = await callCli([...SWEEP, "--json"], { record: made });
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(made)));
    expect(stderr).toContain("joulemark sweep · llama");
  });

  test("with --quiet says the result and nothing else", async () => {
    const plain = await callCli([...SWEEP, "--quiet"]);
    expect(plain.stderr).toBe("");
    expect(plain.stdout).toMatch(/^joulemark sweep · llama/);
    const json = await callCli([...SWEEP, "--quiet", "--json"]);
    expect(json.stderr).toBe("");
    expect(JSON.parse(json.stdout)).toHaveProperty("schema");
  });

  test("that fails on the way shows what it has, and fails", async () => {
    const made = record([cell(1), unmeasured(2)], { interrupted: true });
    const failure = new Error("the server went away");
    const call = await callCli(SWEEP, { record: made, failure });
    expect(call.error).toBe(failure);
    expect(call.exitCode).toBe(1);
    expect(call.stdout).toContain("ENDED EARLY");
    expect(call.stderr).toContain("joulemark sweep --resume runs/fake   measures what is missing");
  });
});

describe("--plan", () => {
  test("sends nothing, and needs no target", async () => {
    const call = await callCli(["sweep", "--plan", "--concurrency", "1,4"]);
    expect(call.sweeps).toEqual([]);
    expect(call.exitCode).toBe(0);
    expect(call.stdout).toContain("nothing was sent");
    expect(call.stdout).toMatch(/requests +24 measured, 5 to warm up/);
  });

  test("as JSON tells cells and the guess of the time", async () => {
    const { stdout } = await callCli([...SWEEP, "--plan", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      schema: "joulemark.plan/1",
      benchmark: "sweep",
      requestUrl: "http://127.0.0.1:8000/v1/chat/completions",
      cells: [{ prefix: "c1_" }, { prefix: "c2_" }],
      guess: { atLeastS: expect.any(Number), atMostS: expect.any(Number) },
    });
  });

  test("of a decode floor", async () => {
    const call = await callCli(["decode-floor", "--plan", "--runs", "2"]);
    expect(call.floors).toEqual([]);
    expect(call.stdout).toMatch(/cells +2\n/);
  });
});

describe("the other commands about runs", () => {
  test("rederive shows the record", async () => {
    const made = record([cell(1)]);
    expect((await callCli(["rederive", "x"], { record: made })).stdout).toContain("llama");
    const { stdout } = await callCli(["rederive", "x", "--json"], { record: made });
    expect(JSON.parse(stdout)).toHaveProperty("cells");
    const floor = record([floorRun(0)], { benchmark: "decode-floor" });
    expect((await callCli(["rederive", "x"], { record: floor })).stdout).toContain("decode-floor");
  });

  test("runs looks where runs go, or where it is told", async () => {
    expect((await callCli(["runs"])).stdout).toContain("in runs");
    expect((await callCli(["runs", "there"])).stdout).toContain("in there");
    expect(JSON.parse((await callCli(["runs", "--json"])).stdout)).toMatchObject({
      schema: "joulemark.runs/1",
      dir: "runs",
    });
  });
});

describe("exit codes", () => {
  const none = cell(1, { counts: { ok: 0, failed: 8, failedByKind: {}, notSent: 0 } });
  const floor = (verdict: "pass" | "fail" | "inconclusive" | "measured"): RunRecord =>
    record([floorRun(0)], { benchmark: "decode-floor", verdict: { verdict, reasons: [] } });

  test.each<[string, RunRecord, boolean, number]>([
    ["measured", record([cell(1)]), false, 0],
    ["measured without energy", withoutRail([1]), false, 0],
    ["without the energy that is required", withoutRail([1]), true, 4],
    ["one of its cells without it", record([cell(1), refused(2)]), true, 4],
    ["with the energy that is required", record([cell(1)]), true, 0],
    ["nothing answered", record([none]), false, 1],
    ["something answered", record([none, cell(2)]), false, 0],
    ["interrupted", record([cell(1)], { interrupted: true }), false, 130],
    ["interrupted without energy", { ...withoutRail([1]), interrupted: true }, true, 130],
    ["a floor that holds", floor("pass"), false, 0],
    ["a floor that is only measured", floor("measured"), false, 0],
    ["a floor that does not hold", floor("fail"), true, 1],
    ["a floor that nobody can tell", floor("inconclusive"), false, 4],
  ])("%s", (_what, made, isEnergyRequired, exitCode) => {
    expect(exitCodeOf(made, isEnergyRequired)).toBe(exitCode);
  });

  test("are those of the program", async () => {
    expect(
      (await callCli([...SWEEP, "--require-energy"], { record: withoutRail([1]) })).exitCode,
    ).toBe(4);
    expect((await callCli(SWEEP, { record: record([none]) })).exitCode).toBe(1);
  });
});
