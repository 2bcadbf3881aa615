import { styleText } from "node:util";

/** A column: its head, and whether its cells stand at the right. */
export interface Column {
  readonly head: string;
  readonly isNumber?: boolean;
}

/** One line of a table: a cell for each column, right-aligned where it is a number. */
function tableLine(
  cells: readonly string[],
  columns: readonly Column[],
  widths: readonly number[],
): string {
  return cells
    .map((cell, i) => (columns[i]?.isNumber ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)))
    .join("  ")
    .trimEnd();
}

/**
 * A table of rows for people.
 *
 * @param hasColour - whether the reader's terminal shows it.
 */
export function columnsTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  hasColour: boolean,
): string {
  const heads = columns.map(({ head }) => head);
  const widths = heads.map((head, i) =>
    Math.max(head.length, ...rows.map((row) => row[i]!.length)),
  );
  const head = tableLine(heads, columns, widths);
  return [
    hasColour ? styleText("bold", head, { validateStream: false }) : head,
    ...rows.map((row) => tableLine(row, columns, widths)),
  ].join("\n");
}
