import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rederive } from "../src/records/rederive.ts";
import { printTable } from "./print-table.ts";
import { writeResults } from "./write-results.ts";

/** What it takes to make the record of a large run again: time, and the most memory that was held. */

const SLOTS = 64;
const TOKENS = 16;
const GAP_US = 7000;

interface Cost {
  readonly wallS: number;
  readonly cpuS: number;
  readonly maxRssMib: number;
  readonly outputTokens: number;
}

if (process.argv[2] === "--child") {
  const { metrics } = await rederive(process.argv[3]!);
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const cost: Cost = {
    wallS: performance.now() / 1000,
    cpuS: (userCPUTime + systemCPUTime) / 1e6,
    maxRssMib: maxRSS / 1024,
    outputTokens: metrics["output_tokens"] ?? 0,
  };
  process.stdout.write(JSON.stringify(cost));
} else {
  const counts = process.argv[2] === undefined ? [100_000, 1_000_000] : [Number(process.argv[2])];
  const results: (Cost & { readonly requests: number; readonly fileMib: number })[] = [];
  for (const requests of counts) {
    const dir = await writeRun(requests);
    const fileMib = statSync(join(dir, "requests.jsonl")).size / 2 ** 20;
    const { stdout } = spawnSync(
      process.execPath,
      [fileURLToPath(import.meta.url), "--child", dir],
      { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] },
    );
    const cost = JSON.parse(stdout) as Cost;
    if (cost.outputTokens !== requests * TOKENS) throw new Error(`tokens: ${cost.outputTokens}`);
    results.push({ requests, fileMib, ...cost });
    rmSync(dir, { recursive: true });
  }
  printTable("rederive", [
    ["requests", "file MiB", "wall s", "CPU s", "most memory MiB"],
    ...results.map(({ requests, fileMib, wallS, cpuS, maxRssMib }) => [
      String(requests),
      fileMib.toFixed(0),
      wallS.toFixed(1),
      cpuS.toFixed(1),
      maxRssMib.toFixed(0),
    ]),
  ]);
  writeResults("rederive", { slots: SLOTS, tokens: TOKENS, results });
}

/** A run of one cell in which each slot sends one request after the other. */
async function writeRun(requests: number): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), "joulemark-bench-"));
  const plan = { cell: 0, repeat: 0, label: "all", prefix: "", concurrency: SLOTS, requests };
  const header = {
    schema: "joulemark.run/1",
    benchmark: "sweep",
    startedAt: "2026-01-01T00:00:00.000Z",
    parameters: {},
    target: {},
    host: {},
    cells: [{ ...plan, outputTokens: TOKENS, cache: "any" }],
  };
  const endMs = lineOf(requests - 1).endMs + 1;
  const health = { isSaturated: false, why: [] };
  const counts = { railLines: 0, requests, notSent: 0 };
  const events = [
    { event: "segment", atMs: 0, segment: 0 },
    { event: "cell_started", atMs: 0, cell: 0 },
    { event: "window", atMs: endMs, cell: 0, startMs: 0, endMs, health, ...counts },
    { event: "ended", atMs: endMs, isInterrupted: false },
  ];
  writeFileSync(join(dir, "run.json"), JSON.stringify(header));
  writeFileSync(join(dir, "events.jsonl"), events.map((one) => JSON.stringify(one)).join("\n"));
  const file = createWriteStream(join(dir, "requests.jsonl"));
  for (let index = 0; index < requests; index++) {
    if (!file.write(`${JSON.stringify(lineOf(index))}\n`)) await once(file, "drain");
  }
  file.end();
  await once(file, "finish");
  return dir;
}

function lineOf(index: number) {
  const slot = index % SLOTS;
  const sentMs = Math.floor(index / SLOTS) * 200 + slot * 0.817;
  const firstTokenMs = sentMs + 50 + ((index * 7919) % 1000) / 37;
  const gapsUs = Array.from({ length: TOKENS - 1 }, (_, i) => GAP_US + ((index + i * 131) % 977));
  const lastTokenMs = firstTokenMs + gapsUs.reduce((sum, gap) => sum + gap, 0) / 1000;
  const ms = (timeMs: number): number => Math.round(timeMs * 1000) / 1000;
  return {
    cell: 0,
    segment: 0,
    phase: "window",
    index,
    state: "ok",
    httpStatus: 200,
    startedMs: ms(sentMs),
    sentMs: ms(sentMs),
    firstByteMs: ms(firstTokenMs),
    firstTokenMs: ms(firstTokenMs),
    firstContentMs: ms(firstTokenMs),
    lastTokenMs: ms(lastTokenMs),
    endMs: ms(lastTokenMs + 0.2),
    sendLagMs: 0.041,
    promptTokens: 128,
    cachedPromptTokens: 0,
    completionTokens: TOKENS,
    tokenSource: "usage",
    finishReason: "length",
    model: "meta-llama/Llama-3.1-8B-Instruct",
    tokenEvents: TOKENS,
    sharedReadEvents: 0,
    gapsUs,
  };
}
