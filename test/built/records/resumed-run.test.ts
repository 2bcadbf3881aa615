import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Engine, type RunRecord, startEngine } from "joulemark";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { runCli, startCli } from "../../support/run-cli.ts";

let engine: Engine;
let out: string;

beforeAll(async () => {
  engine = await startEngine({ profile: "tiny", set: { stepBaseMs: 20 } });
  out = mkdtempSync(join(tmpdir(), "joulemark-resumed-"));
});
afterAll(async () => {
  await engine?.close();
  rmSync(out, { recursive: true, force: true });
});

/** A cold sweep of two cells that is cut off in its second window. @returns its folder. */
async function cutOff(): Promise<string> {
  const run = startCli(
    ["sweep", "--target", engine.url, "--rail", "none", "--out", out].concat([
      "--concurrency",
      "1,2",
      "--requests",
      "8",
      "--output-tokens",
      "16",
    ]),
  );
  await eventually("the second window", () => /2 at once: measuring/.test(run.said.stderr));
  await new Promise((resolve) => setTimeout(resolve, 900));
  run.child.kill("SIGINT");
  const { exitCode, stderr } = await run.ended;
  expect(exitCode, stderr).toBe(130);
  return /kept in (\S+)/.exec(stderr)![1]!;
}

describe("a run that was cut off", () => {
  test("is cold again when it goes on, and asks nothing when nothing is missing", async () => {
    const folder = await cutOff();
    const resumed = await runCli(["sweep", "--resume", folder, "--target", engine.url, "--json"]);
    expect(resumed.exitCode, resumed.stderr).toBe(0);
    const record = JSON.parse(resumed.stdout) as RunRecord;
    expect(record.cells.map(({ state }) => state)).toEqual(["measured", "measured"]);
    const reasons = record.cells.flatMap(({ validity }) => validity.map(({ reason }) => reason));
    expect(reasons).not.toContain("cache_uncontrolled");

    const before = await engine.truth.replies();
    const again = await runCli(["sweep", "--resume", folder, "--target", engine.url, "--json"]);
    expect(again.exitCode, again.stderr).toBe(0);
    expect(again.stdout).toBe(resumed.stdout);
    expect(again.stderr).toContain("nothing is missing");
    expect(await engine.truth.replies()).toHaveLength(before.length);
  });

  test("does not go on at another address", async () => {
    const folder = await cutOff();
    const other = await startEngine({ profile: "tiny" });
    try {
      const { exitCode, stderr } = await runCli([
        "sweep",
        "--resume",
        folder,
        "--target",
        other.url,
      ]);
      expect(exitCode, stderr).toBe(2);
      expect(stderr.replaceAll(/\s+/g, " ")).toMatch(/it measured http\S+, this is http/);
    } finally {
      await other.close();
    }
  });
});
