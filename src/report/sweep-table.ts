import { styleText } from "node:util";
import type { RunRecord } from "../records/run-record.ts";
import { shownPercentile, whyOf } from "./cell-figures.ts";
import { columnsTable, GAP } from "./columns-table.ts";
import type { Look } from "./facts-table.ts";
import { digitsFor, type Figure, number } from "./figure.ts";
import { fitColumns, type RankedColumn } from "./fit-columns.ts";
import { type Footnotes, footnotes } from "./footnotes.ts";
import { loadWords, runHead } from "./run-head.ts";
import { bestRows } from "./sweep-best.ts";
import { type SweepRow, type SweepRows, sweepRows } from "./sweep-rows.ts";
import { dimmed, tableParts, warningLines } from "./table-parts.ts";

/** What `joulemark sweep` shows people: one line for each cell, and below it what it rests on. */
export function sweepTable(record: RunRecord, look: Look): string {
  const all = sweepRows(record.cells);
  const notes = footnotes();
  const { kept, dropped } = fitColumns(columnsOf(all, notes), look.width);
  const lines = all.rows.map((_, i) => kept.map(({ cells }) => cells[i]!));
  return tableParts([
    [runHead(record, [["load", loadWords(record.cells, all.repeats)], ...bestRows(all)], look)],
    [columnsTable(kept, withGaps(all.rows, lines), look.hasColour)],
    notes.lines(look.width),
    dimmed(legendOf(all, dropped), look),
    warningLines(record, look.width),
  ]);
}

/** An empty line before each further input length. */
function withGaps(
  rows: readonly SweepRow[],
  lines: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  return lines.flatMap((line, i) => {
    const isNext = i > 0 && rows[i]!.inputTokens !== rows[i - 1]!.inputTokens;
    return isNext ? [GAP, line] : [line];
  });
}

/** The figures of the table, from left to right, and how much each column is worth. */
const FIGURES: readonly {
  readonly head: string;
  readonly rank: number;
  readonly pick: (row: SweepRow) => Figure;
}[] = [
  { head: "output\ntok/s", rank: 9, pick: (row) => row.tokensPerS },
  { head: "TTFT\np50 ms", rank: 7, pick: (row) => row.ttftP50Ms },
  { head: "TTFT\nTAIL ms", rank: 2, pick: (row) => row.ttftTailMs },
  { head: "TPOT\np50 ms", rank: 6, pick: (row) => row.tpotP50Ms },
  { head: "J/token", rank: 8, pick: (row) => row.joulesPerToken },
  { head: "mean\nW", rank: 3, pick: (row) => row.meanPowerW },
];

function columnsOf({ rows, tail }: SweepRows, notes: Footnotes): readonly RankedColumn[] {
  const digits = FIGURES.map(({ pick }) => digitsFor(rows.map(pick)));
  // Row by row, so that the notes are numbered as they are read.
  const lines = rows.map((row) => ({
    figures: FIGURES.map(({ pick }, i) => shown(pick(row), digits[i]!, row, notes)),
    notes: rowNotes(row, notes),
  }));
  const red = (cell: string): string =>
    cell === "0" ? cell : styleText("red", cell, { validateStream: false });
  const hasLengths = new Set(rows.map(({ inputTokens }) => inputTokens)).size > 1;
  const failed = (row: SweepRow): number | undefined => row.failed;
  return [
    ...(hasLengths ? [plainColumn("tokens\nin", rows, (row) => row.inputTokens)] : []),
    plainColumn("at\nonce", rows, ({ concurrency }) => concurrency),
    ...FIGURES.map(({ head, rank }, i) => ({
      head: head.replace("TAIL", shownPercentile(tail)),
      rank,
      isNumber: true,
      cells: lines.map(({ figures }) => figures[i]!),
    })),
    { ...plainColumn("failed", rows, failed), rank: 5, paint: red },
    ...(lines.some((line) => line.notes !== "")
      ? [{ head: "notes", rank: 10, cells: lines.map((line) => line.notes) }]
      : []),
  ];
}

function plainColumn(
  head: string,
  rows: readonly SweepRow[],
  pick: (row: SweepRow) => number | undefined,
): RankedColumn {
  return { head, rank: 10, isNumber: true, cells: rows.map((row) => String(pick(row) ?? "—")) };
}

function shown(figure: Figure, digits: number, row: SweepRow, notes: Footnotes): string {
  if ("absent" in figure) return `—${notes.mark(figure.absent, row.label)}`;
  const { value, halfWidth } = figure;
  const text = number(value, digits);
  return halfWidth === undefined ? text : `${text} ±${number(halfWidth, digits)}`;
}

/** What a row is to be read with: whether it was measured to its end, and may be compared. */
function rowNotes({ cells, isComparable, label }: SweepRow, notes: Footnotes): string {
  const unfinished = cells.filter(({ state }) => state !== "measured");
  const measured = cells.length - unfinished.length;
  const words = [];
  if (unfinished.length > 0)
    words.push(measured > 0 ? `${measured} of ${cells.length} repeats` : unfinished[0]!.state);
  const reasons = cells.flatMap((cell) =>
    cell.validity.filter(({ refuses }) => refuses === "comparison"),
  );
  if (!isComparable && measured > 0) {
    const marks = new Set(reasons.map((reason) => notes.mark(whyOf(reason), label)));
    words.push(`not comparable${[...marks].join(" ")}`);
  }
  return words.join(", ");
}

function legendOf({ tail, energy, repeats }: SweepRows, dropped: readonly string[]): string {
  const joules =
    energy === "estimate"
      ? "J/token: the energy that the window really took, estimated, for each output token of it"
      : "J/token: the plain integral of the readings over the window, for each output token of it";
  return [
    `TTFT: time to the first token. TPOT: time for each further token. ${joules}.`,
    repeats > 1
      ? `Values are medians of ${repeats} repeats ± half of the 95 % interval.`
      : energy === "estimate"
        ? "±: half of the 95 % interval."
        : "",
    ...(dropped.length === 0 ? [] : [`No room for: ${dropped.join(", ")}.`]),
    `Failed requests enter no time and no rate.`,
    tail === "p99" ? "" : `${shownPercentile(tail)}: too few requests for a higher one.`,
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}
