import type { CellRecord } from "../records/run-record.ts";
import { cleanText } from "./clean-text.ts";
import { columnsTable } from "./columns-table.ts";

/** What really happened in one cell, as the simulated engine knows it. */
export interface CellTruth {
  readonly energyJ: number;
  readonly tokens: number;
  /** Median over the cell's replies, from the request's arrival to the first token's sending. */
  readonly ttftMs: number | undefined;
}

/** What was measured beside what really happened, cell by cell; SIMULATED both. */
export function truthTable(
  cells: readonly (readonly [CellRecord, CellTruth])[],
  hasColour: boolean,
): string {
  const columns = ["cell", "tokens", "(true)", "J/token", "(true)", "off by", "TTFT p50", "(true)"];
  const rows = cells.map(([{ label, metrics, tokens, ttftMs }, truth]) => {
    const measuredJ = metrics["sim_rail_joules_per_token"];
    const trueJ = truth.energyJ / truth.tokens;
    return [
      cleanText(label),
      tokens === undefined ? "—" : String(Math.round(tokens.output)),
      String(truth.tokens),
      measuredJ === undefined ? "—" : measuredJ.toFixed(4),
      trueJ.toFixed(4),
      measuredJ === undefined ? "—" : signedPercent(measuredJ / trueJ - 1),
      milliseconds(ttftMs?.percentiles.p50),
      milliseconds(truth.ttftMs),
    ];
  });
  return columnsTable(
    columns.map((head, i) => ({ head, isNumber: i > 0 })),
    rows,
    hasColour,
  );
}

function signedPercent(share: number): string {
  return `${share < 0 ? "−" : "+"}${Math.abs(share * 100).toFixed(1)} %`;
}

function milliseconds(valueMs: number | undefined): string {
  return valueMs === undefined ? "—" : `${valueMs.toFixed(1)} ms`;
}
