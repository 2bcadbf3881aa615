import { parseArgs } from "node:util";
import { recordedTables } from "./accuracy/recorded-tables.ts";
import { recordedTraces } from "./accuracy/recorded-traces.ts";
import { SENSORS } from "./accuracy/sensors.ts";
import { SHAPES } from "./accuracy/shapes.ts";
import { simulate } from "./accuracy/simulate.ts";
import {
  figureTables,
  refusalsTable,
  shapeTables,
  type Table,
  targetsTable,
} from "./accuracy/tables.ts";
import { printTable } from "./print-table.ts";
import { writeResults } from "./write-results.ts";

/** How far the plain integral and the estimate are from the energy that a window truly took. */

const SENSOR_NAMES = SENSORS.map(({ name }) => name).join(",");

const { values } = parseArgs({
  options: {
    /** Of each family, for each shape, sensor and period. */
    windows: { type: "string", default: "1000" },
    shapes: { type: "string", default: SHAPES.join(",") },
    sensors: { type: "string", default: SENSOR_NAMES },
    "periods-ms": { type: "string", default: "250,100" },
    seed: { type: "string", default: "1" },
    /** Tables as Markdown, to be pasted into docs/method.md; without those by shape. */
    markdown: { type: "boolean", default: false },
  },
});

const plan = {
  shapes: values.shapes.split(","),
  sensors: values.sensors.split(",").map((name) => {
    const kind = SENSORS.find((one) => one.name === name);
    if (kind === undefined) throw new Error(`no sensor ${name}; there are ${SENSOR_NAMES}`);
    return kind;
  }),
  periodsMs: values["periods-ms"].split(",").map(Number),
  windows: wholeNumber("windows", values.windows),
  seed: wholeNumber("seed", values.seed),
};

const startedMs = performance.now();
const judged = simulate(plan);
const seconds = (performance.now() - startedMs) / 1000;
const tables: readonly Table[] = [
  targetsTable(judged),
  ...figureTables(judged),
  ...(values.markdown ? [] : shapeTables(judged)),
  refusalsTable(judged),
  ...recordedTables(recordedTraces("test/cases/power"), plan.windows, plan.seed),
];
for (const { title, rows } of tables) {
  // A head alone says nothing.
  if (rows.length === 1) continue;
  if (values.markdown) console.log(markdown(title, rows));
  else printTable(title, rows);
}
console.log(`\n${judged.length} simulated windows in ${seconds.toFixed(1)} s`);
writeResults("accuracy", { plan: { ...plan, sensors: values.sensors.split(",") }, tables });

function wholeNumber(flag: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`--${flag} ${text} is not a whole number above 0`);
}

function markdown(title: string, rows: readonly (readonly string[])[]): string {
  const lines = rows.map((row) => `| ${row.join(" | ")} |`);
  const rule = `|${rows[0]!.map(() => " --- |").join("")}`;
  return [`\n**${title}**\n`, lines[0], rule, ...lines.slice(1)].join("\n");
}
