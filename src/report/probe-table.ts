import { deviceLabel } from "../rails/judge-window.ts";
import { averagingWords } from "../rails/sensor-check.ts";
import type { ColumnProbe, SensorProbe } from "../rails/sensor-probe.ts";
import type { RailDevice } from "../rails/source.ts";
import { cleanText } from "./clean-text.ts";
import { type Column, columnsTable } from "./columns-table.ts";
import { type Look, wrap } from "./facts-table.ts";

const COLUMNS: readonly Column[] = [
  { head: "device" },
  { head: "column" },
  { head: "mean of\ndeclared", isNumber: true },
  { head: "mean of\nmeasured", isNumber: true },
  { head: "renewed\ndeclared", isNumber: true },
  { head: "renewed\nmeasured", isNumber: true },
  { head: "verdict" },
];

const VERDICTS: Readonly<Record<ColumnProbe["verdict"], string>> = {
  agrees: "as declared",
  differs: "NOT as declared",
  unclear: "cannot be told apart",
  no_step: "no clear step",
};

/** What `joulemark rails --probe` shows people: each power column, declared and measured. */
export function probeTable({ facts, devices }: SensorProbe, { hasColour, width }: Look): string {
  const rows = devices.flatMap(({ device, columns }) =>
    columns.map((column, i) => [
      i === 0 ? cleanText(shortLabel(device)) : "",
      column.field.replace("power.draw.", "."),
      averagingWords(column.declared.averagingMs),
      measuredWords(column),
      averagingWords(column.declared.updateMs),
      column.updateMs === undefined ? "—" : averagingWords(column.updateMs),
      VERDICTS[column.verdict],
    ]),
  );
  const names = devices.map(({ device }) => deviceLabel(device)).join(", ");
  const legend = [
    `${names}. Declared: ${facts.sensorBasis}. Measured: the averaging time that fits a step of load best, and the range that fits.`,
    ...(facts.unmodelled === undefined ? [] : [`No estimate of energy: ${facts.unmodelled}.`]),
  ];
  return [
    columnsTable(COLUMNS, rows, hasColour),
    "",
    ...legend.flatMap((text) => wrap(cleanText(text), width)),
  ].join("\n");
}

/** The name stands below the table, where there is room for it. */
function shortLabel({ id, index }: RailDevice): string {
  return deviceLabel({ id, ...(index === undefined ? {} : { index }) });
}

/** A range that begins at nothing has no shortest: the step was as fast as could be seen. */
function measuredWords({ measured }: ColumnProbe): string {
  if (measured === undefined) return "—";
  const { averagingMs, loMs, hiMs } = measured;
  if (loMs === 0) return `at most ${averagingWords(hiMs)}`;
  return `${averagingWords(averagingMs)} (${Math.round(loMs)}–${Math.round(hiMs)} ms)`;
}
