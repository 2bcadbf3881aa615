import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promptSeries } from "../../src/workloads/prompt-series.ts";
import { median } from "../median.ts";
import type { Peer, PeerCase } from "./peer.ts";

interface Metric {
  readonly mean: number;
  readonly values: readonly number[];
}

interface Report {
  readonly benchmarks: readonly {
    readonly e2e_ttft: Metric;
    /** Tokens per second of each request, from its first token on. */
    readonly tg_req_throughput: Metric;
    readonly tg_throughput: Metric;
  }[];
}

/** Never asked for: the book lies where the tool keeps what it has fetched. */
const BOOK_URL = "http://127.0.0.1:9/book.txt";
const BOOK_WORDS = 20_000;

/** llama-benchy; it prints means, and keeps each request's figures, which the medians are of. */
export const llamaBenchy: Peer = {
  name: "llama-benchy",
  tool: { name: "llama-benchy", version: "0.4.0", python3Minor: 10 },
  remarks: [
    "no closed loop: batches of so many requests, the next when the last of one has ended",
    "its tokens per second are those from the first token of a batch to the last",
  ],
  command: (one, binDir) => {
    placeBook(one.dir);
    return {
      program: join(binDir, "llama-benchy"),
      args: [
        ...["--base-url", `${one.url}/v1`, "--model", one.model, "--tokenizer", one.tokenizerDir],
        ...["--pp", String(one.promptTokens), "--tg", String(one.outputTokens), "--exact-tg"],
        ...["--concurrency", String(one.concurrency), "--runs", String(batches(one))],
        // A simulated model fails the question that it asks first.
        ...["--no-warmup", "--skip-coherence", "--latency-mode", "none", "--no-cache"],
        ...["--book-url", BOOK_URL, "--format", "json", "--save-result", reportPath(one)],
      ],
      env: { HF_HUB_OFFLINE: "1", HOME: one.dir },
    };
  },
  report: (one) => {
    const report = JSON.parse(readFileSync(reportPath(one), "utf8")) as Report;
    const { e2e_ttft, tg_req_throughput, tg_throughput } = report.benchmarks[0]!;
    return {
      requests: e2e_ttft.values.length,
      ttftP50Ms: median(e2e_ttft.values),
      tpotP50Ms: 1000 / median(tg_req_throughput.values),
      outputTokensPerS: tg_throughput.mean,
    };
  },
};

function batches({ requests, concurrency }: PeerCase): number {
  return Math.ceil(requests / concurrency);
}

function reportPath({ dir }: PeerCase): string {
  return join(dir, "report.json");
}

function placeBook(homeDir: string): void {
  const dir = join(homeDir, ".cache", "llama-benchy");
  mkdirSync(dir, { recursive: true });
  const name = createHash("md5").update(BOOK_URL).digest("hex");
  writeFileSync(
    join(dir, `${name}.txt`),
    promptSeries({ seed: 1, words: BOOK_WORDS }).promptFor(0),
  );
}
