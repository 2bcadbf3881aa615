import { styleText } from "node:util";
import type { RunRecord } from "../records/run-record.ts";
import {
  energyHead,
  hasGuessedTokens,
  type SecondName,
  shownPercentile,
  whyOf,
  whyPlain,
} from "./cell-figures.ts";
import { columnsTable, GAP } from "./columns-table.ts";
import type { Look } from "./facts-table.ts";
import { digitsFor, type Figure, signedPercent, withInterval } from "./figure.ts";
import { fitColumns, type RankedColumn } from "./fit-columns.ts";
import { type Footnotes, footnotes } from "./footnotes.ts";
import { beginsGroup, hasSeveral } from "./length-groups.ts";
import { phaseLegend, phaseLines } from "./phase-lines.ts";
import { loadWords, runHead } from "./run-head.ts";
import { bestRows } from "./sweep-best.ts";
import { type SweepRow, type SweepRows, sweepRows } from "./sweep-rows.ts";
import { dimmed, tableParts, warningLines } from "./table-parts.ts";

/** What `joulemark sweep` shows people: one line for each cell, and below it what it rests on. */
export function sweepTable(record: RunRecord, look: Look): string {
  const all = sweepRows(record.cells);
  const { kept, dropped, notes } = fittedColumns(all, look.width);
  const lines = all.rows.map((_, i) => kept.map(({ cells }) => cells[i]!));
  return tableParts([
    [runHead(record, [["load", loadWords(record.cells, all.repeats)], ...bestRows(all)], look)],
    [columnsTable(kept, withGaps(all.rows, lines), look.hasColour)],
    notes.lines(look.width),
    phaseLines(record, look.width),
    dimmed(legendOf(all, kept, dropped) + phaseLegend(record), look),
    warningLines(record, look.width),
  ]);
}

/** The columns that have room, and the notes of these alone: no number is that of a hidden mark. */
function fittedColumns(all: SweepRows, width: number) {
  const { dropped } = fitColumns(columnsOf(all, figuresOf(all), footnotes()), width);
  const figures = figuresOf(all).filter(({ head }) => !dropped.includes(oneLine(head)));
  const notes = footnotes();
  const { kept } = fitColumns(columnsOf(all, figures, notes), width);
  return { kept, dropped, notes };
}

/** An empty line before each further pair of lengths. */
function withGaps(
  rows: readonly SweepRow[],
  lines: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  return lines.flatMap((line, i) => (beginsGroup(rows, i) ? [GAP, line] : [line]));
}

interface FigureColumn {
  readonly head: string;
  readonly rank: number;
  readonly pick: (row: SweepRow) => Figure;
  /** How a value is shown, where it is not with its interval. */
  readonly words?: (value: number) => string;
}

/** The figures of the table, from left to right, and how much each column is worth. */
const FIGURES: readonly FigureColumn[] = [
  { head: "output\ntok/s", rank: 9, pick: (row) => row.tokensPerS },
  { head: "TTFT\np50 ms", rank: 7, pick: (row) => row.ttftP50Ms },
  { head: "TTFT\nTAIL ms", rank: 2, pick: (row) => row.ttftTailMs },
  { head: "TPOT\np50 ms", rank: 6, pick: (row) => row.tpotP50Ms },
  { head: "ENERGY", rank: 8, pick: (row) => row.joulesPerToken },
  { head: "mean\nW", rank: 3, pick: (row) => row.meanPowerW },
];

/** A tail that no cell has gets no column, and neither does a second column that was not read. */
function figuresOf({ tail, energy, second }: SweepRows): readonly FigureColumn[] {
  return FIGURES.flatMap((figure) => {
    if (figure.head === "ENERGY")
      return [
        { ...figure, head: energyHead(energy) },
        ...(second === undefined ? [] : [secondColumn(second)]),
      ];
    if (!figure.head.includes("TAIL")) return [figure];
    if (tail === undefined) return [];
    return [{ ...figure, head: figure.head.replace("TAIL", shownPercentile(tail)) }];
  });
}

function secondColumn(name: SecondName): FigureColumn {
  return {
    head: `${name}\n%`,
    rank: 4,
    pick: ({ secondApart }) => secondApart!,
    words: signedPercent,
  };
}

function columnsOf(
  { rows }: SweepRows,
  shownFigures: readonly FigureColumn[],
  notes: Footnotes,
): readonly RankedColumn[] {
  const digits = shownFigures.map(({ pick }) => digitsFor(rows.map(pick)));
  // Row by row, so that the notes are numbered as they are read.
  const lines = rows.map((row) => ({
    figures: shownFigures.map(({ pick, words }, i) =>
      shown(pick(row), { digits: digits[i]!, words }, row, notes),
    ),
    notes: rowNotes(row, notes),
  }));
  const red = (cell: string): string =>
    cell === "0" ? cell : styleText("red", cell, { validateStream: false });
  const failed = (row: SweepRow): number | undefined => row.failed;
  return [
    ...lengthColumns(rows),
    plainColumn("at\nonce", rows, ({ concurrency }) => concurrency),
    ...shownFigures.map(({ head, rank }, i) => ({
      head,
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

function lengthColumns(rows: readonly SweepRow[]): readonly RankedColumn[] {
  return [
    ...(hasSeveral(rows, "inputTokens")
      ? [plainColumn("tokens\nin", rows, (row) => row.inputTokens)]
      : []),
    ...(hasSeveral(rows, "outputTokens")
      ? [plainColumn("tokens\nout", rows, (row) => row.outputTokens)]
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

function shown(
  figure: Figure,
  { digits, words }: { readonly digits: number; readonly words: FigureColumn["words"] },
  row: SweepRow,
  notes: Footnotes,
): string {
  if ("absent" in figure) return `—${notes.mark(figure.absent, row.label)}`;
  if (words !== undefined) return words(figure.value);
  return withInterval(figure.value, figure.interval, digits);
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
  if (cells.some(hasGuessedTokens)) words.push(`by events${notes.mark(BY_EVENTS, label)}`);
  return words.join(", ");
}

const BY_EVENTS = {
  code: "tokens_by_events",
  text: "tokens counted from events, since the server told no count of its own for all of them",
};

function legendOf(
  all: SweepRows,
  kept: readonly RankedColumn[],
  dropped: readonly string[],
): string {
  return [
    `TTFT: time to the first token. TPOT: time for each further token. ${energyWords(all)}`,
    all.energy === "estimate" && kept.some(({ head }) => head.startsWith("mean"))
      ? "mean W: of the readings as they came."
      : "",
    intervalWords(all),
    ...(all.second !== undefined && kept.some(({ head }) => head.startsWith(all.second!))
      ? [`${all.second} %: how far the energy by that column of the readings alone lies from it.`]
      : []),
    ...(dropped.length === 0 ? [] : [`No room for: ${dropped.join(", ")}.`]),
    `Failed requests enter no time and no rate.`,
    tailWords(all, kept),
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}

function energyWords({ energy, rows }: SweepRows): string {
  if (energy === "estimate")
    return "J/token: the energy that the window really took, estimated, for each output token of it.";
  if (energy === "none") return "J/token: energy for each output token of the window.";
  const why = whyPlain(rows.flatMap(({ cells }) => cells));
  return `plain J/token: the plain integral of the readings over the window, for each output token of it${why === undefined ? "" : `; no estimate: ${why}`}.`;
}

function intervalWords({ energy, repeats }: SweepRows): string {
  const ofEstimate = "the sensor's own gain error is not in it";
  if (repeats > 1)
    return energy === "estimate"
      ? `Values are medians of ${repeats} repeats, in brackets their 95 % interval; that of J/token is never narrower than what one measurement can tell, and ${ofEstimate}.`
      : `Values are medians of ${repeats} repeats, in brackets their 95 % interval.`;
  return energy === "estimate" ? `In brackets: the 95 % interval; ${ofEstimate}.` : "";
}

/** Why the table shows no higher percentile. */
function tailWords({ tail, rows }: SweepRows, kept: readonly RankedColumn[]): string {
  if (tail === undefined) {
    const isAnswered = rows.some(({ cells }) => cells.some(({ ttftMs }) => (ttftMs?.n ?? 0) > 0));
    return isAnswered ? "p50: too few requests for a higher one." : "";
  }
  const name = shownPercentile(tail);
  const isShown = kept.some(({ head }) => head.includes(name));
  return tail === "p99" || !isShown ? "" : `${name}: too few requests for a higher one.`;
}

function oneLine(head: string): string {
  return head.replace("\n", " ").trim();
}
