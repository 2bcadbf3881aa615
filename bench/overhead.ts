import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { sweep } from "../src/benchmarks/sweep.ts";
import { type Engine, startEngine } from "../src/engine/start-engine.ts";
import type { CellRecord } from "../src/records/run-record.ts";
import { spread } from "../src/stats/spread.ts";
import { parseTarget } from "../src/target/parse-target.ts";
import { printTable } from "./print-table.ts";
import { writeResults } from "./write-results.ts";

const { values } = parseArgs({
  options: {
    pairs: { type: "string", default: "6" },
    concurrency: { type: "string", default: "1,16,128" },
    "cell-s": { type: "string", default: "5" },
  },
});

/** What must not change when the rail is read. */
const FIGURES = ["output_tok_s", "ttft_p50_ms", "tpot_p50_ms", "e2e_p50_ms"] as const;

/** Runs one sweep against the engine, with the rail or without. */
async function cellsOf(engine: Engine, hasRail: boolean, out: string): Promise<CellRecord[]> {
  const running = sweep(
    {
      target: parseTarget(engine.url),
      load: { threads: 1, endpoint: "chat" },
      meter: hasRail
        ? { rail: "nvidia-smi", nvidiaSmiPath: engine.nvidiaSmiPath }
        : { rail: "none" },
      requireEnergy: false,
      seed: 1,
      out,
      repeat: 1,
      parameters: {},
      concurrency: values.concurrency.split(",").map(Number),
      inputTokens: [128],
      outputTokens: [64],
      durationS: Number(values["cell-s"]),
      warmup: { rounds: 1 },
      cache: "cold",
    },
    new AbortController().signal,
  );
  const cells: CellRecord[] = [];
  for await (const step of running.progress) if (step.kind === "cell") cells.push(step.record);
  return cells;
}

const engine = await startEngine({ truth: false });
const out = await mkdtemp(join(tmpdir(), "joulemark-overhead-"));
const ratios = new Map<string, number[]>();
try {
  for (let pair = 0; pair < Number(values.pairs); pair++) {
    // Which comes first takes turns, so that a drift of the machine meets both alike.
    const order = pair % 2 === 0 ? [true, false] : [false, true];
    const cells = new Map<boolean, CellRecord[]>();
    for (const hasRail of order) cells.set(hasRail, await cellsOf(engine, hasRail, out));
    for (const [i, on] of cells.get(true)!.entries()) {
      const off = cells.get(false)![i]!;
      for (const figure of FIGURES) {
        const key = `${on.label}|${figure}`;
        const ratio = on.metrics[figure]! / off.metrics[figure]!;
        ratios.set(key, [...(ratios.get(key) ?? []), ratio]);
      }
    }
    console.error(`pair ${pair + 1} of ${values.pairs} done`);
  }
} finally {
  await engine.close();
  await rm(out, { recursive: true });
}

const rows = [...ratios].map(([key, each]) => {
  const [cell = "", figure = ""] = key.split("|");
  return { cell, figure, ...spread(each)! };
});
printTable(
  `What reading the rail changes: with it / without it, ${values.pairs} pairs of sweeps in turns`,
  [
    ["cell", "figure", "ratio (median)", "95 % interval", "within noise"],
    ...rows.map(({ cell, figure, median, interval }) => [
      cell,
      figure,
      median.toFixed(4),
      interval ? `${interval.lo.toFixed(4)} – ${interval.hi.toFixed(4)}` : "—",
      interval ? (interval.lo <= 1 && interval.hi >= 1 ? "yes" : "NO") : "—",
    ]),
  ],
);
writeResults("overhead", { pairs: Number(values.pairs), rows });
