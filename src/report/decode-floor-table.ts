import { styleText } from "node:util";
import type { Metrics } from "../energy/metrics.ts";
import type { CellRecord, RunRecord } from "../records/run-record.ts";
import {
  energyHead,
  energyKind,
  joulesPerToken,
  railFigure,
  railMetric,
  secondApart,
  secondName,
  whyAbsent,
  whyOf,
  whyPlain,
} from "./cell-figures.ts";
import { cleanText } from "./clean-text.ts";
import { type Column, columnsTable } from "./columns-table.ts";
import type { FactRow, Look } from "./facts-table.ts";
import {
  digitsFor,
  figureOf,
  number,
  type Pick,
  shortNumber,
  signedPercent,
  withInterval,
} from "./figure.ts";
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
    dimmed(legendOf(record), look),
    warningLines(record, look.width),
  ]);
}

function legendOf({ cells }: RunRecord): string {
  return `decode: tokens for each second once they come. TTFT: time to the first token. ${energyLegend(cells)} The prompt is part of the benchmark: another one is another benchmark.`;
}

function energyLegend(cells: readonly CellRecord[]): string {
  const kind = energyKind(cells);
  if (kind === "none") return "J/token: energy of a run's window for each output token of it.";
  if (kind === "estimate")
    return "J/token: the energy that a run's window really took, estimated, for each output token of it; in brackets its 95 % interval, without the sensor's own gain error. mean W: of the readings as they came.";
  const why = whyPlain(cells);
  return `plain J/token: the plain integral of the readings over a run's window, for each output token of it${why === undefined ? "" : `; no estimate: ${why}`}.`;
}

const COLOURS = { pass: "green", fail: "red", inconclusive: "yellow", measured: "bold" } as const;

function verdictFacts({ verdict, metrics, cells }: RunRecord, look: Look): readonly FactRow[] {
  const { verdict: word = "inconclusive", reasons = [] } = verdict ?? {};
  const shownWord = look.hasColour
    ? styleText(COLOURS[word], word.toUpperCase(), { validateStream: false })
    : word.toUpperCase();
  const why: FactRow = ["why", reasons.map(cleanText)];
  return [
    ["verdict", shownWord],
    ...(reasons.length === 0 ? [] : [why]),
    ...rateFacts(metrics),
    ...energyFacts(metrics, cells),
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
function energyFacts(metrics: Metrics, cells: readonly CellRecord[]): readonly FactRow[] {
  const [plain, value, lo, hi] = [
    "joules_per_token",
    "joules_per_token_est",
    "joules_per_token_est_lo",
    "joules_per_token_est_hi",
  ].map((tail) => railMetric(metrics, tail));
  if (value !== undefined) {
    const interval = lo === undefined || hi === undefined ? undefined : { lo, hi };
    const words = withInterval(value, interval, digitsFor([{ value }]));
    return [["energy", `${words} J/token over all runs${plainBeside(plain)}`]];
  }
  if (plain === undefined) return [];
  const some = energyKind(cells) === "estimate" ? "; not every run has an estimate" : "";
  return [["energy", `${shortNumber(plain)} J/token over all runs by the plain integral${some}`]];
}

function plainBeside(plain: number | undefined): string {
  return plain === undefined ? "" : `; plain integral ${shortNumber(plain)}`;
}

interface RunFigure {
  readonly head: string;
  readonly pick: (cell: CellRecord) => Pick;
  /** How a value is shown, where it is not with its interval. */
  readonly words?: typeof withInterval;
}

/** The figures of a run, from left to right. */
function runFigures(cells: readonly CellRecord[], metrics: Metrics): readonly RunFigure[] {
  const kind = energyKind(cells);
  const second = secondName(cells);
  const apart = second && {
    head: `${second}\n%`,
    pick: (cell: CellRecord) => secondApart(cell, second),
    words: signedPercent,
  };
  return [
    { head: "decode\ntok/s", pick: decodeRate(metrics["decode_rate_is_servers"] === 1) },
    { head: "TTFT\nms", pick: ttft },
    { head: "output\ntokens", pick: outputTokens },
    {
      head: energyHead(kind),
      pick: (cell) => joulesPerToken(cell, kind),
    },
    ...(apart === undefined ? [] : [apart]),
    { head: "mean\nW", pick: (cell) => railFigure(cell, "mean_power_w") },
  ];
}

function runsTable(
  { cells, metrics }: RunRecord,
  notes: Footnotes,
): { readonly columns: readonly Column[]; readonly rows: readonly (readonly string[])[] } {
  const picks = runFigures(cells, metrics);
  const figures = picks.map(({ pick }) => cells.map((cell) => figureOf([pick(cell)])));
  const digits = figures.map((column, i) =>
    picks[i]!.pick === outputTokens ? 0 : digitsFor(column),
  );
  const rows = cells.map((cell, row) => [
    String(cell.cell + 1),
    ...picks.map(({ words = withInterval }, i) => {
      const figure = figures[i]![row]!;
      if ("absent" in figure) return `—${notes.mark(figure.absent, cell.label)}`;
      return words(figure.value, figure.interval, digits[i]!);
    }),
    runNotes(cell, notes),
  ]);
  const hasNotes = rows.some((row) => row.at(-1) !== "");
  return {
    columns: [
      { head: "run", isNumber: true },
      ...picks.map(({ head }) => ({ head, isNumber: true })),
      ...(hasNotes ? [{ head: "notes" }] : []),
    ],
    rows: hasNotes ? rows : rows.map((row) => row.slice(0, -1)),
  };
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
