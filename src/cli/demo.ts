import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import type { SweepOptions } from "../benchmarks/benchmark-options.ts";
import type { RunningBenchmark } from "../benchmarks/run-progress.ts";
import { type Engine, startEngine } from "../engine/start-engine.ts";
import type { CellRecord } from "../records/run-record.ts";
import { wrap } from "../report/facts-table.ts";
import { sweepTable } from "../report/sweep-table.ts";
import { type CellTruth, truthTable } from "../report/truth-table.ts";
import { parseTarget } from "../target/parse-target.ts";
import type { Interrupts } from "./interrupts.ts";
import type { Jobs } from "./jobs.ts";
import type { Output } from "./output.ts";
import { runBenchmark } from "./run-benchmark.ts";

const CONCURRENCY = [1, 4, 16];
const CELL_S = 5;
const INPUT_TOKENS = 128;
const OUTPUT_TOKENS = 64;

/** `joulemark demo`: the whole tool at work on a simulated engine and GPU, on any machine. */
export function demoCommand(output: Output, interrupts: Interrupts, jobs: Jobs): Command {
  return new Command("demo")
    .summary("a small sweep of a SIMULATED engine on a SIMULATED GPU, on any machine, in 40 s")
    .description(
      "Starts the built-in engine, sweeps it over a few concurrencies while its simulated GPU is read through a stand-in nvidia-smi, just as a real one is, and holds the result against what really happened.",
    )
    .action(async () => {
      output.note(
        "Everything below is SIMULATED: no GPU of this machine is read, and no figure is one of a real GPU.\n",
      );
      const engine = await startEngine({ profile: "8b-h100" });
      try {
        const out = await mkdtemp(join(tmpdir(), "joulemark-demo-"));
        const cells: CellRecord[] = [];
        const running = noting(jobs.sweep(sweepOptions(engine, out), interrupts.signal), cells);
        process.exitCode = await runBenchmark(
          running,
          { table: sweepTable, flags: {} },
          output,
          interrupts,
        );
        if (cells.length > 0) output.result(`\n${await truthText(engine, cells, output)}`);
        output.result(`\n${NEXT}`);
      } finally {
        await engine.close();
      }
    });
}

function sweepOptions(engine: Engine, out: string): SweepOptions {
  const shape = {
    concurrency: CONCURRENCY,
    inputTokens: [INPUT_TOKENS],
    outputTokens: [OUTPUT_TOKENS],
    durationS: CELL_S,
  };
  return {
    ...shape,
    target: parseTarget(engine.url),
    load: { threads: 1, endpoint: "chat" },
    meter: { rail: "nvidia-smi", nvidiaSmiPath: engine.nvidiaSmiPath },
    requireEnergy: false,
    seed: 1,
    out,
    repeat: 1,
    warmup: { rounds: 1 },
    cache: "cold",
    parameters: {
      target: engine.url,
      concurrency: CONCURRENCY,
      "input-tokens": [INPUT_TOKENS],
      "output-tokens": [OUTPUT_TOKENS],
      duration: CELL_S,
      warmup: "1",
      cache: "cold",
      seed: 1,
      rail: "nvidia-smi",
      "nvidia-smi": engine.nvidiaSmiPath,
    },
  };
}

/** The same run, whose cells are noted on their way. */
function noting(running: RunningBenchmark, cells: CellRecord[]): RunningBenchmark {
  async function* progress(): RunningBenchmark["progress"] {
    for await (const step of running.progress) {
      if (step.kind === "cell") cells.push(step.record);
      yield step;
    }
  }
  return { progress: progress(), now: () => running.now() };
}

async function truthText(
  engine: Engine,
  cells: readonly CellRecord[],
  output: Output,
): Promise<string> {
  const look = output.resultLook;
  const rows: (readonly [CellRecord, CellTruth])[] = [];
  for (const cell of cells) {
    if (cell.startMs === undefined || cell.endMs === undefined) continue;
    rows.push([cell, await truthOf(engine, cell.startMs, cell.endMs)]);
  }
  const about =
    "The engine knows the truth: when it sent each token, and what its GPU really drew. Each reading of this sensor is the mean of the second before it, so the plain integral of the readings reads low where a window is short; the estimate makes up for that, and says in brackets how far it may be off. docs/method.md tells the whole story.";
  return [
    "SIMULATED truth: what was measured, beside what really happened",
    truthTable(rows, look),
    "",
    ...wrap(about, look.width),
  ].join("\n");
}

async function truthOf(engine: Engine, startMs: number, endMs: number): Promise<CellTruth> {
  const [{ servingJ }, { tokens }, replies] = await Promise.all([
    engine.truth.energy(startMs, endMs),
    engine.truth.tokens(startMs, endMs),
    engine.truth.replies(),
  ]);
  const ttftsMs = replies
    .filter(({ arrivedMs }) => arrivedMs >= startMs && arrivedMs <= endMs)
    .map(({ arrivedMs, sentMs }) => (sentMs[0] ?? Number.NaN) - arrivedMs)
    .filter((ms) => Number.isFinite(ms))
    .toSorted((a, b) => a - b);
  return { energyJ: servingJ, tokens, ttftMs: ttftsMs[Math.ceil(ttftsMs.length / 2) - 1] };
}

const NEXT = [
  "Next, with a real endpoint on a machine with an NVIDIA GPU:",
  "  joulemark rails",
  "      which rails can be read here, and why not",
  "  joulemark sweep --target http://localhost:8000",
  "      milliseconds and joules per token",
  "  joulemark decode-floor --target http://localhost:8000",
  "      the decode rate of a single user",
  "(from a clone: node dist/cli/main.js in place of joulemark)",
].join("\n");
