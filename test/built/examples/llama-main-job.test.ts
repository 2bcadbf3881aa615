import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CellRecord, RequestLine, RunRecord } from "joulemark";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type InstalledLlama,
  installLlama,
  type RunningLlama,
} from "../../support/llama-server.ts";
import { runCli } from "../../support/run-cli.ts";
import { box } from "../../support/scenarios.ts";
import { installStandIn } from "../../support/stand-in.ts";

let llama: InstalledLlama;
let server: RunningLlama;
let out: string;

beforeAll(async () => {
  llama = await installLlama();
  server = await llama.start("--slots", "8");
  out = await mkdtemp(join(tmpdir(), "joulemark-llama-"));
}, 150_000);
afterAll(async () => {
  await llama?.remove();
  if (out) await rm(out, { recursive: true, force: true });
});

interface Run {
  readonly record: RunRecord;
  readonly requests: readonly RequestLine[];
}

async function run(command: string, ...args: readonly string[]): Promise<Run> {
  const parent = await mkdtemp(join(out, "run-"));
  const all = [command, "--target", server.url, "--out", parent, "--json", "--quiet", ...args];
  const { exitCode, stdout, stderr } = await runCli(all);
  expect(exitCode, stderr).toBe(0);
  const record = JSON.parse(stdout) as RunRecord;
  const [folder = ""] = await foldersIn(parent);
  const lines = (await readFile(join(folder, "requests.jsonl"), "utf8")).trim().split("\n");
  return { record, requests: lines.map((line) => JSON.parse(line) as RequestLine) };
}

async function foldersIn(parent: string): Promise<string[]> {
  return (await readdir(parent)).map((name) => join(parent, name));
}

function ofCell(requests: readonly RequestLine[], { cell }: CellRecord): RequestLine[] {
  return requests.filter((line) => line.cell === cell && line.phase === "window");
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1]!;
}

describe("a real llama.cpp engine under the main job", () => {
  test("is swept over 1, 2, 4 and 8: tokens are the engine's own, its times lie within the client's", async () => {
    const { record, requests } = await run(
      "sweep",
      ...["--concurrency", "1,2,4,8", "--input-tokens", "64", "--output-tokens", "48"],
      ...["--requests", "16", "--rail", "none"],
    );
    expect(record.cells.map(({ state }) => state)).toEqual(Array(4).fill("measured"));
    expect(record.server?.name).toBe("llama.cpp");
    for (const cell of record.cells) {
      const lines = ofCell(requests, cell);
      expect(lines).toHaveLength(16);
      expect(cell.tokens).toMatchObject({ output: 16 * 48, delivered: 16 * 48, minCompletion: 48 });
      for (const {
        completionTokens,
        promptTokens,
        cachedPromptTokens = 0,
        serverTimings,
      } of lines) {
        // The engine's own prompt_n leaves out what its cache had.
        expect(serverTimings?.predictedTokens).toBe(completionTokens);
        expect((serverTimings?.promptTokens ?? 0) + cachedPromptTokens).toBe(promptTokens);
      }
      expect(Object.keys(cell.metrics).filter((key) => key.includes("rail"))).toEqual([]);
      expect(cell.validity.map(({ reason }) => reason)).toContain("rail_unreadable");
    }
    const alone = ofCell(requests, record.cells[0]!);
    const ttftsMs = alone.map(({ firstTokenMs, sentMs }) => firstTokenMs! - sentMs!);
    const promptsMs = alone.map(({ serverTimings }) => serverTimings!.promptMs!);
    for (const [i, ttftMs] of ttftsMs.entries()) expect(ttftMs).toBeGreaterThan(promptsMs[i]!);
    expect(median(ttftsMs) - median(promptsMs)).toBeLessThan(20);
    const offMs = alone.map(({ firstTokenMs, lastTokenMs, serverTimings, completionTokens }) => {
      const clientMs = (lastTokenMs! - firstTokenMs!) / (completionTokens! - 1);
      return clientMs - serverTimings!.predictedMs! / serverTimings!.predictedTokens!;
    });
    expect(Math.abs(median(offMs))).toBeLessThan(0.5);
  }, 180_000);

  test("gives a decode floor by its own rate, with joules of a rail when one is asked for", async () => {
    const standIn = await installStandIn({
      ...box(1),
      devices: [{ ...box(1).devices[0]!, name: "SIMULATED GPU" }],
    });
    try {
      const { record } = await run(
        "decode-floor",
        ...["--max-tokens", "300", "--min-tok-s", "1", "--nvidia-smi", standIn.path],
        ...["--settle", "0.5", "--baseline", "0.5"],
      );
      expect(record.verdict?.verdict).toBe("pass");
      expect(record.metrics).toMatchObject({ decode_runs: 3, decode_rate_is_servers: 1 });
      expect(record.metrics["sim_rail_energy_window_tokens"]).toBe(900);
      const summedJ = record.cells.reduce(
        (sum, { metrics }) => sum + metrics["sim_rail_energy_j"]!,
        0,
      );
      expect(record.metrics["sim_rail_energy_j"]).toBeCloseTo(summedJ, 6);
      expect(record.simulated).toBe(true);
    } finally {
      await standIn.remove();
    }
  }, 180_000);
});
