import type { RooflineMode, RooflineRow } from "../benchmarks/roofline.ts";
import { type Column, columnsTable } from "./columns-table.ts";
import { percent } from "./figures.ts";

const COLUMNS: readonly Column[] = [
  { head: "server sends" },
  { head: "threads", isNumber: true },
  { head: "streams", isNumber: true },
  { head: "events/s", isNumber: true },
  { head: "req/s", isNumber: true },
  { head: "µs/event", isNumber: true },
  { head: "µs/req", isNumber: true },
  { head: "late ms p50", isNumber: true },
  { head: "p99", isNumber: true },
  { head: "busy", isNumber: true },
  { head: "waited", isNumber: true },
];

const WORDS: Readonly<Record<RooflineMode, string>> = {
  spread: "50/s, spread",
  together: "50/s, together",
  flood: "a flood",
  "flood-100": "flood, ×100",
  short: "1 token",
};

/** What `joulemark roofline` shows people: one line for each case. */
export function rooflineTable(rows: readonly RooflineRow[], hasColour: boolean): string {
  return columnsTable(COLUMNS, rows.map(cells), hasColour);
}

function cells(row: RooflineRow): readonly string[] {
  const { stampErrorMs, isComplete } = row;
  return [
    `${WORDS[row.mode]}${isComplete ? "" : " (!)"}`,
    String(row.threads),
    String(row.streams),
    whole(row.eventsPerS),
    whole(row.requestsPerS),
    decimal(row.cpuUsPerEvent, 1),
    decimal(row.cpuUsPerRequest, 0),
    decimal(stampErrorMs?.percentiles.p50, 2),
    decimal(stampErrorMs?.percentiles.p99, 2),
    percent(row.busyShare),
    row.waitShare === undefined ? "—" : percent(row.waitShare),
  ];
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

function decimal(value: number | undefined, digits: number): string {
  return value === undefined ? "—" : value.toFixed(digits);
}
