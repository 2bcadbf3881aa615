import { parseArgs } from "node:util";
import { SENSORS } from "./accuracy/sensors.ts";
import { SHAPES } from "./accuracy/shapes.ts";
import { simulate } from "./accuracy/simulate.ts";
import { figureTables, type Table, targetsTable } from "./accuracy/tables.ts";
import { printTable } from "./print-table.ts";
import { writeResults } from "./write-results.ts";

/** How far the plain integral and the estimate are from the energy that a window truly took. */

const { values } = parseArgs({
  options: {
    /** Of each family, for each shape, sensor and period. */
    windows: { type: "string", default: "1000" },
    shapes: { type: "string", default: SHAPES.join(",") },
    sensors: { type: "string", default: SENSORS.map(({ name }) => name).join(",") },
    "periods-ms": { type: "string", default: "250,100" },
    seed: { type: "string", default: "1" },
    /** Tables as Markdown, to be pasted into docs/method.md. */
    markdown: { type: "boolean", default: false },
  },
});

const plan = {
  shapes: values.shapes.split(","),
  sensors: values.sensors.split(",").map((name) => {
    const kind = SENSORS.find((one) => one.name === name);
    if (kind === undefined) throw new Error(`no sensor ${name}`);
    return kind;
  }),
  periodsMs: values["periods-ms"].split(",").map(Number),
  windows: Number(values.windows),
  seed: Number(values.seed),
};
const judged = simulate(plan);
const tables: readonly Table[] = [targetsTable(judged), ...figureTables(judged)];
for (const { title, rows } of tables) {
  if (values.markdown) console.log(markdown(title, rows));
  else printTable(title, rows);
}
writeResults("accuracy", { plan: { ...plan, sensors: values.sensors.split(",") }, tables });

function markdown(title: string, rows: readonly (readonly string[])[]): string {
  const lines = rows.map((row) => `| ${row.join(" | ")} |`);
  const rule = `|${rows[0]!.map(() => " --- |").join("")}`;
  return [`\n**${title}**\n`, lines[0], rule, ...lines.slice(1)].join("\n");
}
