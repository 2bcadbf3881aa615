import type { CellRecord } from "../records/run-record.ts";
import { railMetric } from "./cell-figures.ts";
import { cleanText } from "./clean-text.ts";
import { columnsTable } from "./columns-table.ts";
import type { Look } from "./facts-table.ts";
import { signedPercent, withInterval } from "./figure.ts";
import { fitColumns, type RankedColumn } from "./fit-columns.ts";

/** What really happened in one cell, as the simulated engine knows it. */
export interface CellTruth {
  readonly energyJ: number;
  readonly tokens: number;
  /** Median over the cell's replies, from the request's arrival to the first token's sending. */
  readonly ttftMs: number | undefined;
}

type Measured = readonly [CellRecord, CellTruth];

/** What was measured beside what really happened, cell by cell; SIMULATED both. */
export function truthTable(cells: readonly Measured[], { hasColour, width }: Look): string {
  const { kept } = fitColumns(columnsOf(cells), width);
  const rows = cells.map((_, i) => kept.map((column) => column.cells[i]!));
  return columnsTable(kept, rows, hasColour);
}

function columnsOf(cells: readonly Measured[]): readonly RankedColumn[] {
  const column = (
    head: string,
    rank: number,
    words: (cell: CellRecord, truth: CellTruth) => string,
  ): RankedColumn => ({
    head,
    rank,
    isNumber: head !== "cell",
    cells: cells.map(([cell, truth]) => words(cell, truth)),
  });
  return [
    column("cell", 10, ({ label }) => cleanText(label)),
    column("tokens", 2, ({ tokens }) =>
      tokens === undefined ? "—" : String(Math.round(tokens.output)),
    ),
    column("tokens\n(true)", 2, (_, { tokens }) => String(tokens)),
    column("J/token", 10, estimateWords),
    column("J/token\n(true)", 10, (_, truth) => trueJPerToken(truth).toFixed(4)),
    column("off by\n%", 10, (cell, truth) => offBy(cell, "joules_per_token_est", truth)),
    column("plain\nJ/token", 9, ({ metrics }) => {
      const value = railMetric(metrics, "joules_per_token");
      return value === undefined ? "—" : value.toFixed(4);
    }),
    column("off by\n%", 9, (cell, truth) => offBy(cell, "joules_per_token", truth)),
    column("TTFT\np50 ms", 3, ({ ttftMs }) => milliseconds(ttftMs?.percentiles.p50)),
    column("TTFT\n(true)", 3, (_, { ttftMs }) => milliseconds(ttftMs)),
  ];
}

function estimateWords({ metrics }: CellRecord): string {
  const [value, lo, hi] = ["", "_lo", "_hi"].map((end) =>
    railMetric(metrics, `joules_per_token_est${end}`),
  );
  if (value === undefined) return "—";
  return withInterval(value, lo === undefined || hi === undefined ? undefined : { lo, hi }, 4);
}

function trueJPerToken({ energyJ, tokens }: CellTruth): number {
  return energyJ / tokens;
}

function offBy({ metrics }: CellRecord, tail: string, truth: CellTruth): string {
  const value = railMetric(metrics, tail);
  return value === undefined ? "—" : signedPercent((value / trueJPerToken(truth) - 1) * 100);
}

function milliseconds(valueMs: number | undefined): string {
  return valueMs === undefined ? "—" : valueMs.toFixed(1);
}
