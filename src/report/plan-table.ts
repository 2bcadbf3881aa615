import type { Warmup } from "../benchmarks/benchmark-options.ts";
import { estimateCellS, estimateRunS, GUESSED_RATES } from "../benchmarks/estimate-time.ts";
import type { CellPlan } from "../records/run-header.ts";
import { type Column, columnsTable, GAP } from "./columns-table.ts";
import { roughDuration } from "./duration.ts";
import { type FactRow, factsTable, type Look } from "./facts-table.ts";
import { number } from "./figure.ts";
import { beginsGroup } from "./length-groups.ts";
import { dimmed, tableParts } from "./table-parts.ts";

/** What would be run. */
export interface PlanFacts {
  readonly benchmark: string;
  readonly cells: readonly CellPlan[];
  readonly warmup?: Warmup;
  readonly settleMs?: number;
  /** Whether a rail is read; default true. */
  readonly hasRail?: boolean;
  /** Where to; absent when no target was given. */
  readonly requestUrl?: string;
}

/** What `--plan` shows people: cells, requests and about how long it takes; nothing was sent. */
export function planTable(plan: PlanFacts, look: Look): string {
  const { benchmark, cells } = plan;
  const repeats = Math.max(0, ...cells.map(({ repeat }) => repeat + 1));
  const once = cells.filter(({ repeat }) => benchmark === "decode-floor" || repeat === 0);
  return tableParts([
    [
      factsTable(
        `joulemark ${benchmark} --plan · nothing was sent`,
        headFacts(plan, repeats),
        look,
      ),
    ],
    [columnsTable(COLUMNS, rowsOf(once, plan), look.hasColour)],
    dimmed(BASIS, look),
  ]);
}

const BASIS = `The time is a guess made before anything was measured: from ${GUESSED_RATES.fast} down to ${GUESSED_RATES.slow} tokens per second in each stream, whatever the load. A cell's time is its warm-up, its window and the quiet time around it.`;

const UNSETTLED =
  "none before windows: they may begin in moving power, and the intervals of their energy are wider";

const COLUMNS: readonly Column[] = [
  { head: "tokens\nin", isNumber: true },
  { head: "tokens\nout", isNumber: true },
  { head: "at\nonce", isNumber: true },
  { head: "warm-up", isNumber: true },
  { head: "measured", isNumber: true },
  { head: "about", isNumber: true },
];

function headFacts(plan: PlanFacts, repeats: number): readonly FactRow[] {
  const { cells, requestUrl, benchmark } = plan;
  const times = repeats > 1 && benchmark !== "decode-floor" ? `, ${repeats} times each` : "";
  const unique = new Set(cells.map(({ label }) => label)).size;
  const requests = cells.reduce((sum, cell) => sum + (cell.requests ?? 0), 0);
  const isTimed = cells.some(({ durationS }) => durationS !== undefined);
  const warm = cells.reduce((sum, cell) => sum + (warmupRequests(cell, plan) ?? 0), 0);
  const measured = isTimed ? "as many as the time has room for" : `${number(requests, 0)} measured`;
  return [
    ["target", requestUrl ?? "— (--target names it)"],
    ["cells", `${unique}${times}`],
    ["requests", warm === 0 ? measured : `${measured}, ${number(warm, 0)} to warm up`],
    ...(plan.settleMs === 0 && plan.hasRail !== false ? [["quiet time", UNSETTLED] as const] : []),
    ["time", rangeOf((tokensPerS) => estimateRunS(cells, basisOf(plan, tokensPerS)))],
  ];
}

function rowsOf(cells: readonly CellPlan[], plan: PlanFacts): readonly (readonly string[])[] {
  return cells.flatMap((cell, i) => {
    const row = [
      String(cell.inputTokens ?? "—"),
      String(cell.outputTokens ?? "—"),
      String(cell.concurrency),
      warmupWords(cell, plan),
      cell.durationS === undefined ? requestWords(cell.requests ?? 0) : `${cell.durationS} s`,
      rangeOf((tokensPerS) => estimateCellS(cell, basisOf(plan, tokensPerS))),
    ];
    return beginsGroup(cells, i) ? [GAP, row] : [row];
  });
}

function warmupWords(cell: CellPlan, plan: PlanFacts): string {
  const { warmup } = plan;
  if (warmup !== undefined && "seconds" in warmup) return `${warmup.seconds} s`;
  return number(warmupRequests(cell, plan) ?? 0, 0);
}

/** A warm cache has to know every prompt of the window. */
function warmupRequests(cell: CellPlan, { warmup }: PlanFacts): number | undefined {
  if (warmup === undefined || !("rounds" in warmup)) return undefined;
  if (warmup.rounds === 0) return 0;
  const known = cell.cache === "warm" ? (cell.requests ?? 0) : 0;
  return Math.max(known, warmup.rounds * cell.concurrency);
}

function basisOf({ warmup, settleMs, hasRail }: PlanFacts, tokensPerS: number) {
  return {
    tokensPerS,
    ...(warmup === undefined ? {} : { warmup }),
    ...(settleMs === undefined ? {} : { settleMs }),
    ...(hasRail === undefined ? {} : { hasRail }),
  };
}

function rangeOf(estimateS: (tokensPerS: number) => number): string {
  const [least, most] = [GUESSED_RATES.fast, GUESSED_RATES.slow].map((rate) =>
    roughDuration(estimateS(rate)),
  );
  if (least === most) return least!;
  const unit = / (s|min)$/;
  const isSame = unit.exec(least!)?.[0] === unit.exec(most!)?.[0] && !most!.includes("h");
  return isSame ? `${least!.replace(unit, "")}–${most}` : `${least} – ${most}`;
}

function requestWords(requests: number): string {
  return `${number(requests, 0)} ${requests === 1 ? "request" : "requests"}`;
}
