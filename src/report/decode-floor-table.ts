import { styleText } from "node:util";
import type { Metrics } from "../energy/metrics.ts";
import type { CellRecord, RunRecord } from "../records/run-record.ts";
import {
  energyKind,
  joulesPerToken,
  railFigure,
  railMetric,
  whyAbsent,
  whyOf,
} from "./cell-figures.ts";
import { cleanText } from "./clean-text.ts";
import { type Column, columnsTable } from "./columns-table.ts";
import type { FactRow, Look } from "./facts-table.ts";
import { digitsFor, type Figure, figureOf, number, type Pick, shortNumber } from "./figure.ts";
import { type Footnotes, footnotes } from "./footnotes.ts";
import { runHead } from "./run-head.ts";
import { dimmed, tableParts, warningLines } from "./table-parts.ts";

/** What `joulemark decode-floor` shows people: the verdict, and each timed run below it. */
export function decodeFloorTable(record: RunRecord, look: Look): string {
  const notes = footnotes();
  const { columns, rows } = runsTable(record, notes);
  return tableParts([
    [runHead(record, verdictFacts(record, look), look)],
    rows.length === 0 ? [] : [columnsTable(columns, rows, look.hasColour)],
    notes.lines(look.width),
    dimmed(LEGEND, look),
    warningLines(record, look.width),
  ]);
}

const LEGEND =
  "decode: tokens for each second once they come. TTFT: time to the first token. J/token: energy of a run's window for each output token of it. The prompt is part of the benchmark: another one is another benchmark.";

const COLOURS = { pass: "green", fail: "red", inconclusive: "yellow", measured: "bold" } as const;

function verdictFacts({ verdict, metrics }: RunRecord, look: Look): readonly FactRow[] {
  const { verdict: word = "inconclusive", reasons = [] } = verdict ?? {};
  const shownWord = look.hasColour
    ? styleText(COLOURS[word], word.toUpperCase(), { validateStream: false })
    : word.toUpperCase();
  const why: FactRow = ["why", reasons.map(cleanText)];
  return [
    ["verdict", shownWord],
    ...(reasons.length === 0 ? [] : [why]),
    ...rateFacts(metrics),
    ...energyFacts(metrics),
  ];
}

function rateFacts(metrics: Metrics): readonly FactRow[] {
  const { decode_tok_s: rate, decode_tok_s_ci_lo: lo, decode_tok_s_ci_hi: hi } = metrics;
  const { decode_runs: runs = 0, decode_rate_is_servers: isServers } = metrics;
  if (rate === undefined) return [];
  const digits = digitsFor([{ value: rate }]);
  const interval =
    lo === undefined || hi === undefined
      ? ""
      : ` (95 % interval ${number(lo, digits)}–${number(hi, digits)})`;
  const whose = isServers === 1 ? "the server's own times" : "the times of the stream";
  const rateWords = `${number(rate, digits)} tok/s${interval}`;
  return [["decode", `${rateWords}, median of ${runs}, by ${whose}`]];
}

/** Joules and tokens of all runs, added up before they are divided. */
function energyFacts(metrics: Metrics): readonly FactRow[] {
  const value =
    railMetric(metrics, "joules_per_token_est") ?? railMetric(metrics, "joules_per_token");
  return value === undefined ? [] : [["energy", `${shortNumber(value)} J/token over all runs`]];
}

function runsTable(
  { cells, metrics }: RunRecord,
  notes: Footnotes,
): { readonly columns: readonly Column[]; readonly rows: readonly (readonly string[])[] } {
  const kind = energyKind(cells);
  const picks: readonly (readonly [string, (cell: CellRecord) => Pick])[] = [
    ["decode\ntok/s", decodeRate(metrics["decode_rate_is_servers"] === 1)],
    ["TTFT\nms", ttft],
    ["output\ntokens", outputTokens],
    ["J/token", (cell) => joulesPerToken(cell, kind)],
    ["mean\nW", (cell) => railFigure(cell, "mean_power_w")],
  ];
  const figures = picks.map(([, pick]) => cells.map((cell) => figureOf([pick(cell)])));
  const digits = figures.map((column, i) =>
    picks[i]![1] === outputTokens ? 0 : digitsFor(column),
  );
  const rows = cells.map((cell, row) => [
    String(cell.cell + 1),
    ...figures.map((column, i) => shown(column[row]!, digits[i]!, cell, notes)),
    runNotes(cell, notes),
  ]);
  const hasNotes = rows.some((row) => row.at(-1) !== "");
  return {
    columns: [
      { head: "run", isNumber: true },
      ...picks.map(([head]) => ({ head, isNumber: true })),
      ...(hasNotes ? [{ head: "notes" }] : []),
    ],
    rows: hasNotes ? rows : rows.map((row) => row.slice(0, -1)),
  };
}

function shown(figure: Figure, digits: number, { label }: CellRecord, notes: Footnotes): string {
  return "absent" in figure ? `—${notes.mark(figure.absent, label)}` : number(figure.value, digits);
}

function runNotes(cell: CellRecord, notes: Footnotes): string {
  if (cell.state !== "measured") return cell.state;
  const reasons = cell.validity.filter(({ refuses }) => refuses === "comparison");
  const marks = reasons.map((reason) => notes.mark(whyOf(reason), cell.label));
  return cell.isComparable ? "" : `not comparable${[...new Set(marks)].join(" ")}`;
}

/** Rates of one kind only: the server's own where every run tells it, else those of the stream. */
function decodeRate(isServers: boolean): (cell: CellRecord) => Pick {
  return (cell) => {
    const value = cell.metrics[isServers ? "decode_tok_s_server" : "decode_tok_s_client"];
    return value === undefined
      ? { absent: whyAbsent(cell, ["comparison", "per_token"]) }
      : { value };
  };
}

/** Of a single request there is no percentile, and it is its own mean. */
function ttft(cell: CellRecord): Pick {
  const value = cell.ttftMs?.mean;
  return value === undefined ? { absent: whyAbsent(cell, ["comparison"]) } : { value };
}

function outputTokens(cell: CellRecord): Pick {
  const value = cell.tokens?.output;
  return value === undefined ? { absent: whyAbsent(cell, ["per_token"]) } : { value };
}
