import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { BenchmarkOptions } from "../src/benchmarks/benchmark-options.ts";
import { decodeFloor } from "../src/benchmarks/decode-floor.ts";
import type { RunningBenchmark } from "../src/benchmarks/run-progress.ts";
import { sweep } from "../src/benchmarks/sweep.ts";
import { isQuiet } from "../src/energy/judge-quiet.ts";
import type { PowerSample } from "../src/energy/power-sample.ts";
import { type Engine, startEngine } from "../src/engine/start-engine.ts";
import type { RailLine } from "../src/records/rail-replay.ts";
import type { RunEvent } from "../src/records/run-event.ts";
import type { CellRecord } from "../src/records/run-record.ts";
import { parseTarget } from "../src/target/parse-target.ts";
import { median } from "./median.ts";
import { printTable } from "./print-table.ts";
import { quantiles } from "./quantiles.ts";
import { writeResults } from "./write-results.ts";

const { values } = parseArgs({ options: { windows: { type: "string", default: "12" } } });
const windows = Number(values.windows);

/** Quiet time before windows; absent: what the sensor needs, and until the power stands still. */
const ARMS = new Map<string, { readonly settleMs?: number }>([
  ["default", {}],
  ["settle 1.6 s alone", { settleMs: 1600 }],
  ["--no-settle", { settleMs: 0 }],
]);

interface Seen {
  readonly plain: number;
  readonly estimate: number | undefined;
  readonly halfWidth: number | undefined;
  readonly isHeld: boolean | undefined;
  readonly isStill: boolean;
  readonly waitedS: number;
}

const never = new AbortController().signal;

function commonOf(engine: Engine, out: string, settle: { settleMs?: number }): BenchmarkOptions {
  return {
    target: parseTarget(engine.url),
    load: { threads: 1, endpoint: "chat" },
    meter: { rail: "nvidia-smi", nvidiaSmiPath: engine.nvidiaSmiPath, ...settle },
    requireEnergy: false,
    seed: 1,
    out,
    repeat: windows,
    parameters: {},
    ...settle,
  };
}

/** A sweep has a load right before its windows, a decode floor none. */
const BENCHMARKS = new Map<string, (options: BenchmarkOptions) => RunningBenchmark>([
  [
    "sweep",
    (options) =>
      sweep(
        {
          ...options,
          concurrency: [4],
          inputTokens: [64],
          outputTokens: [64],
          requests: 8,
          warmup: { rounds: 1 },
          cache: "cold",
        },
        never,
      ),
  ],
  [
    "decode-floor",
    (options) =>
      decodeFloor({ ...options, runs: windows, maxTokens: 120, requireSpeculation: false }, never),
  ],
]);

async function seenIn(
  engine: Engine,
  start: (options: BenchmarkOptions) => RunningBenchmark,
  options: BenchmarkOptions,
): Promise<readonly Seen[]> {
  const cells: CellRecord[] = [];
  let folder = "";
  for await (const step of start(options).progress) {
    if (step.kind === "started") folder = step.folder ?? "";
    if (step.kind === "cell") cells.push(step.record);
  }
  const events = await linesOf<RunEvent>(folder, "events.jsonl");
  const rail = await linesOf<RailLine>(folder, "rail.jsonl");
  const samples = rail.flatMap((line) => (line.kind === "read" ? line.samples : []));
  const sensor = rail.find((line) => line.kind === "facts")!.facts.sensor;
  return Promise.all(
    cells.map(async ({ cell, startMs = 0, endMs = 0, metrics }): Promise<Seen> => {
      const { devices } = await engine.truth!.energy(startMs, endMs);
      const trueJ = devices.reduce((sum, { energyJ }) => sum + energyJ, 0);
      const [plainJ, estJ, loJ, hiJ] = [
        "energy_j",
        "energy_est_j",
        "energy_est_lo_j",
        "energy_est_hi_j",
      ].map((key) => metrics[`sim_rail_${key}`]);
      return {
        plain: plainJ! / trueJ - 1,
        estimate: estJ && estJ / trueJ - 1,
        halfWidth: loJ !== undefined && hiJ !== undefined ? (hiJ - loJ) / 2 / trueJ : undefined,
        isHeld: loJ !== undefined && hiJ !== undefined ? loJ <= trueJ && trueJ <= hiJ : undefined,
        isStill: isStillAt(samples, startMs, sensor),
        waitedS: settledS(events, cell),
      };
    }),
  );
}

function isStillAt(
  samples: readonly PowerSample[],
  atMs: number,
  sensor: Parameters<typeof isQuiet>[1],
): boolean {
  const devices = new Set(samples.map(({ device }) => device));
  return [...devices].every((device) =>
    isQuiet(
      samples.filter((one) => one.device === device && one.atMs <= atMs),
      sensor,
      250,
    ),
  );
}

/** How long a cell was in its settle phases, in s. */
function settledS(events: readonly RunEvent[], cell: number): number {
  let sumMs = 0;
  for (const [i, event] of events.entries())
    if (event.event === "phase" && event.cell === cell && event.phase === "settle")
      sumMs += events[i + 1]!.atMs - event.atMs;
  return sumMs / 1000;
}

async function linesOf<T>(folder: string, file: string): Promise<readonly T[]> {
  const text = await readFile(join(folder, file), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}

const out = await mkdtemp(join(tmpdir(), "joulemark-settle-"));
const engine = await startEngine();
const rows: Record<string, string | number>[] = [];
try {
  for (const [benchmark, start] of BENCHMARKS) {
    for (const [arm, settle] of ARMS) {
      const seen = await seenIn(engine, start, commonOf(engine, out, settle));
      rows.push({ benchmark, arm, ...rowOf(seen) });
      console.error(`${benchmark}, ${arm}: done`);
    }
  }
} finally {
  await engine.close();
  await rm(out, { recursive: true });
}

function rowOf(seen: readonly Seen[]) {
  const known = <T>(pick: (one: Seen) => T | undefined): readonly T[] =>
    seen.map(pick).filter((value) => value !== undefined);
  const estimates = known(({ estimate }) => estimate);
  const held = known(({ isHeld }) => isHeld);
  return {
    windows: seen.length,
    "begin in still power": share(seen.map(({ isStill }) => isStill)),
    "waited, s": median(seen.map(({ waitedS }) => waitedS)).toFixed(2),
    "plain: median": percent(median(seen.map(({ plain }) => plain))),
    "plain: worst": percent(quantiles(seen.map(({ plain }) => Math.abs(plain))).max),
    "estimate: median": percent(median(estimates)),
    "estimate: worst": percent(quantiles(estimates.map(Math.abs)).max),
    "half-width: median": percent(median(known(({ halfWidth }) => halfWidth))),
    held: share(held),
  };
}

function share(values: readonly boolean[]): string {
  return values.length === 0 ? "—" : `${values.filter(Boolean).length} of ${values.length}`;
}

function percent(value: number): string {
  return Number.isNaN(value) ? "—" : `${(value * 100).toFixed(2)} %`;
}

printTable(
  `What quiet time before windows costs and gives, against the engine's truth; ${windows} windows each`,
  [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row).map(String))],
);
writeResults("settle", { rows });
