import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { runCli, startCli } from "../../support/run-cli.ts";

const MAIN = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
const out = mkdtempSync(join(tmpdir(), "joulemark-sweep-"));
let engine: ChildProcess;
let target: readonly string[];

beforeAll(async () => {
  const words = ["engine", "--port", "0", "--json", "--profile", "tiny"];
  engine = spawn(process.execPath, [MAIN, ...words], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  engine.stdout!.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  await eventually("the engine serves", () => said.includes("\n"));
  const { url, nvidiaSmiPath } = JSON.parse(said) as { url: string; nvidiaSmiPath: string };
  target = ["--target", url, "--nvidia-smi", nvidiaSmiPath, "--out", out];
});

afterAll(() => void engine.kill());

const QUICK = ["--rail", "none", "--baseline", "0", "--settle", "0", "--output-tokens", "16"];

interface Kept {
  readonly interrupted: boolean;
  readonly simulated: boolean;
  readonly cells: readonly { readonly state: string; readonly metrics: Record<string, number> }[];
}

describe("joulemark sweep", () => {
  test("prints the record alone on stdout, the same that rederive makes of the raw files", async () => {
    const flags = ["--concurrency", "1,2", "--requests", "4", "--json", "--settle", "0.3"];
    const end = await runCli(["sweep", ...target, ...flags, "--output-tokens", "32"]);
    expect(end.stderr).toContain("2 of 2 · 2 at once");
    expect(end.exitCode).toBe(0);
    const kept = JSON.parse(end.stdout) as Kept;
    expect(kept.simulated).toBe(true);
    for (const { metrics } of kept.cells) expect(metrics["output_tok_s"]).toBeGreaterThan(0);
    const run = join(out, readdirSync(out).at(-1)!);
    const record = readFileSync(join(run, "record.json"), "utf8");
    expect(JSON.parse(record)).toEqual(kept);
    const again = await runCli(["rederive", run, "--json"]);
    expect(JSON.parse(again.stdout)).toEqual(kept);
    expect(readFileSync(join(run, "record.json"), "utf8")).toBe(record);
    expect((await runCli(["runs", out])).stdout).toMatch(/sweep-[0-9a-f]{4} .*complete, SIMULATED/);
  });

  test("without the energy that is required ends with 4", async () => {
    const flags = ["--concurrency", "1", "--requests", "2", "--require-energy", "--quiet"];
    const end = await runCli(["sweep", ...target, ...QUICK, ...flags]);
    expect(end.exitCode).toBe(4);
    expect(end.stderr).toBe("");
    expect(end.stdout).toContain("[rail_unreadable]");
  });

  test("with a target that does not answer ends with 1 and says what to do", async () => {
    const end = await runCli(["sweep", "--target", "http://127.0.0.1:1", ...QUICK, "--out", out]);
    expect(end.exitCode).toBe(1);
    expect(end.stderr).toContain("nothing listens there");
    expect(end.stdout).toBe("");
  });

  test("that is interrupted keeps what it measured, and goes on with what is missing", async () => {
    const flags = ["--concurrency", "1,2", "--duration", "1.5", "--warmup", "0"];
    const run = startCli(["sweep", ...target, ...QUICK, ...flags]);
    await eventually("the second cell runs", () => /2 at once: measuring/.test(run.said.stderr));
    run.child.kill("SIGINT");
    const end = await run.ended;
    expect(end.exitCode).toBe(130);
    expect(end.stdout).toContain("ENDED EARLY");
    const folder = /--resume (\S+)/.exec(end.stderr)![1]!;
    const states = (): readonly string[] => keptOf(folder).cells.map(({ state }) => state);
    expect(states()[0]).toBe("measured");
    expect(states()[1]).not.toBe("measured");
    const resumed = await runCli(["sweep", "--resume", folder]);
    expect(resumed.exitCode, resumed.stderr).toBe(0);
    expect(resumed.stderr).not.toContain("1 at once: measuring");
    expect(states()).toEqual(["measured", "measured"]);
  });

  test("leaves at once when it is interrupted twice", async () => {
    const run = startCli(["sweep", ...target, ...QUICK, "--concurrency", "1", "--duration", "60"]);
    await eventually("the cell runs", () => /1 at once: measuring/.test(run.said.stderr));
    run.child.kill("SIGINT");
    run.child.kill("SIGTERM");
    expect((await run.ended).exitCode).toBe(130);
  });
});

test("joulemark decode-floor holds a floor against the rate", async () => {
  const length = ["--runs", "1", "--max-tokens", "8", "--rail", "none", "--settle", "0"];
  // By the server's own times, which a busy machine cannot make inconclusive.
  const flags = [...length, "--json", "--extra-body", '{"timings":true}'];
  const verdictOf = async (floor: string) => {
    const end = await runCli(["decode-floor", ...target, ...flags, "--min-tok-s", floor]);
    const { verdict } = JSON.parse(end.stdout) as { verdict: { verdict: string } };
    return [verdict.verdict, end.exitCode];
  };
  expect(await verdictOf("0.001")).toEqual(["pass", 0]);
  expect(await verdictOf("1000000")).toEqual(["fail", 1]);
});

function keptOf(folder: string): Kept {
  return JSON.parse(readFileSync(join(folder, "record.json"), "utf8")) as Kept;
}
