import type { CellRecord } from "../records/run-record.ts";
import type { PercentileName } from "../stats/percentile.ts";
import {
  type EnergyKind,
  energyKind,
  joulesPerToken,
  percentileMs,
  railFigure,
  type SecondName,
  secondApart,
  secondName,
  tokensPerS,
} from "./cell-figures.ts";
import { type Figure, figureOf } from "./figure.ts";

/** One line of the sweep's table: a cell with all its repeats. */
export interface SweepRow {
  readonly label: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly concurrency: number;
  readonly cells: readonly CellRecord[];
  readonly isComparable: boolean;
  readonly tokensPerS: Figure;
  readonly ttftP50Ms: Figure;
  readonly ttftTailMs: Figure;
  readonly tpotP50Ms: Figure;
  readonly joulesPerToken: Figure;
  /** How far the second column of the rail lies from the estimate, in percent. */
  readonly secondApart?: Figure;
  readonly meanPowerW: Figure;
  /** Requests that failed; absent when none was counted. */
  readonly failed?: number;
}

/** Every row of a sweep, and what holds for all of them. */
export interface SweepRows {
  readonly rows: readonly SweepRow[];
  /**
   * The high percentile that is shown: the highest one that at least half of the cells have.
   * Absent when no cell has any.
   */
  readonly tail?: PercentileName;
  readonly energy: EnergyKind;
  /** Which second column was read. */
  readonly second?: SecondName;
  readonly repeats: number;
}

export function sweepRows(cells: readonly CellRecord[]): SweepRows {
  const tail = tailOf(cells);
  const energy = energyKind(cells);
  const second = secondName(cells);
  const byPrefix = new Map<string, CellRecord[]>();
  for (const cell of cells) {
    const repeats = byPrefix.get(cell.prefix) ?? [];
    byPrefix.set(cell.prefix, [...repeats, cell]);
  }
  return {
    rows: [...byPrefix.values()].map((repeats) => rowOf(repeats, { tail, energy, second })),
    ...(tail === undefined ? {} : { tail }),
    energy,
    ...(second === undefined ? {} : { second }),
    repeats: Math.max(0, ...cells.map(({ repeat }) => repeat + 1)),
  };
}

/** What holds for every row. */
interface Shown {
  readonly tail: PercentileName | undefined;
  readonly energy: EnergyKind;
  readonly second: SecondName | undefined;
}

function rowOf(cells: readonly CellRecord[], { tail, energy, second }: Shown): SweepRow {
  const { label, inputTokens, outputTokens, concurrency } = cells[0]!;
  const counts = cells.flatMap((cell) => (cell.counts === undefined ? [] : [cell.counts]));
  const over = (pick: (cell: CellRecord) => ReturnType<typeof tokensPerS>): Figure =>
    figureOf(cells.map(pick));
  return {
    label,
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    concurrency,
    cells,
    isComparable: cells.every((cell) => cell.isComparable),
    tokensPerS: over(tokensPerS),
    ttftP50Ms: over((cell) => percentileMs(cell, "ttftMs", "p50")),
    ttftTailMs: over((cell) => percentileMs(cell, "ttftMs", tail ?? "p50")),
    tpotP50Ms: over((cell) => percentileMs(cell, "tpotMs", "p50")),
    joulesPerToken: over((cell) => joulesPerToken(cell, energy)),
    ...(second === undefined ? {} : { secondApart: over((cell) => secondApart(cell, second)) }),
    meanPowerW: over((cell) => railFigure(cell, "mean_power_w")),
    ...(counts.length === 0 ? {} : { failed: counts.reduce((sum, { failed }) => sum + failed, 0) }),
  };
}

const TAILS: readonly PercentileName[] = ["p99", "p95", "p90"];

function tailOf(cells: readonly CellRecord[]): PercentileName | undefined {
  const answered = cells.filter(({ ttftMs }) => ttftMs?.percentiles.p50 !== undefined);
  const having = (name: PercentileName): number =>
    answered.filter(({ ttftMs }) => ttftMs?.percentiles[name] !== undefined).length;
  return (
    TAILS.find((name) => having(name) > 0 && 2 * having(name) >= answered.length) ??
    TAILS.findLast((name) => having(name) > 0)
  );
}
