import { expect, test } from "vitest";
import { planSweep } from "../../src/benchmarks/plan-sweep.ts";
import type { RunListing } from "../../src/records/list-runs.ts";
import { planTable } from "../../src/report/plan-table.ts";
import { runsTable } from "../../src/report/runs-table.ts";

const PLAIN = { hasColour: false, width: 100 };
const SHAPE = {
  concurrency: [1, 8, 32],
  inputTokens: [128],
  outputTokens: [128],
  cache: "cold",
  repeat: 1,
} as const;

test("a plan tells cells, requests and a guess of the time", async () => {
  const requestUrl = "http://127.0.0.1:8000/v1/chat/completions";
  const plan = { benchmark: "sweep", cells: planSweep(SHAPE), warmup: { rounds: 1 }, requestUrl };
  await expect(`${planTable(plan, PLAIN)}\n`).toMatchFileSnapshot("./tables/plan-sweep.txt");
});

test("a plan by time, with repeats, tells no requests", async () => {
  const lengths = { inputTokens: [128, 8192], outputTokens: [64, 256] };
  const cells = planSweep({ ...SHAPE, ...lengths, repeat: 3, durationS: 600 });
  const plan = { benchmark: "sweep", cells, warmup: { seconds: 5 }, settleMs: 0 };
  const table = planTable(plan, PLAIN);
  await expect(`${table}\n`).toMatchFileSnapshot("./tables/plan-sweep-by-time.txt");
  expect(table).toContain("12, 3 times each");
});

test("a warm cache is warmed with every prompt of the cell", () => {
  const cells = planSweep({ ...SHAPE, concurrency: [2], cache: "warm", requests: 50 });
  const table = planTable({ benchmark: "sweep", cells, warmup: { rounds: 1 } }, PLAIN);
  expect(table).toContain("50 measured, 50 to warm up");
});

const RUNS: readonly RunListing[] = [
  {
    name: "20260301T120000Z-sweep-ab12",
    benchmark: "sweep",
    startedAt: "2026-03-01T12:00:00.000Z",
    model: "llama-3.1-8b-instruct",
    cells: 6,
    measured: 6,
    headline: { peak_output_tok_s: 1718.4, best_gpu_rail_joules_per_token: 0.2911 },
    state: "complete",
  },
  {
    name: "20260301T130000Z-decode-floor-ab13",
    benchmark: "decode-floor",
    startedAt: "2026-03-01T13:00:00.000Z",
    model: `org/${"long-".repeat(12)}`,
    cells: 3,
    measured: 1,
    state: "interrupted",
    simulated: true,
  },
  { name: "x\u001b[2J", state: "unreadable", why: "run.json is no JSON" },
];

test("runs stand below each other, with how far each came", async () => {
  const table = runsTable(RUNS, "runs", PLAIN);
  await expect(`${table}\n`).toMatchFileSnapshot("./tables/runs.txt");
  for (const line of table.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
});

test("where there is no run, what makes one is said", () => {
  expect(runsTable([], "here", PLAIN)).toBe(
    "no runs in here; joulemark sweep --target URL makes one, --out says where",
  );
});
