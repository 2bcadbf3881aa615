import { styleText } from "node:util";
import type { RunRecord } from "../records/run-record.ts";
import { cleanText } from "./clean-text.ts";
import { type Look, wrap } from "./facts-table.ts";

/** Parts of a table with an empty line between; a part without a line is left out. */
export function tableParts(parts: readonly (readonly string[])[]): string {
  return parts
    .filter(({ length }) => length > 0)
    .map((part) => part.join("\n"))
    .join("\n\n");
}

/** A text over several lines that stands back behind the figures. */
export function dimmed(text: string, { hasColour, width }: Look): readonly string[] {
  const lines = wrap(text, width);
  return hasColour ? lines.map((line) => styleText("dim", line, { validateStream: false })) : lines;
}

/** What has to be known beside the figures, each said once; and what could not be read. */
export function warningLines(record: RunRecord, width: number): readonly string[] {
  const wheres = new Map<string, string[]>();
  for (const { label, warnings } of record.cells)
    for (const text of new Set(warnings))
      wheres.set(text, [...new Set([...(wheres.get(text) ?? []), label])]);
  const labels = new Set(record.cells.map(({ label }) => label));
  const ofCells = [...wheres].map(([text, where]) =>
    labels.size === 1 ? text : `${text} (${placesOf(where, labels.size)})`,
  );
  const damage = record.damage.map((text) => `not read: ${text}`);
  return [...record.warnings, ...ofCells, ...damage].flatMap((text) =>
    hanging(`warning: ${cleanText(text)}`, width),
  );
}

function placesOf(where: readonly string[], all: number): string {
  if (where.length === all) return "every row";
  if (where.length <= 3) return where.join("; ");
  return `${where.slice(0, 2).join("; ")}; and ${where.length - 2} more rows`;
}

/** A text over several lines, all but the first moved in. */
export function hanging(text: string, width: number): readonly string[] {
  const [first = "", ...more] = wrap(text, width - 2);
  return [first, ...more.map((line) => `  ${line}`)];
}
