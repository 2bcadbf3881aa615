import { styleText } from "node:util";

/** A column: its head, and whether its cells stand at the right. */
export interface Column {
  /** A line break parts it into lines, which stand above each other at the bottom of the head. */
  readonly head: string;
  readonly isNumber?: boolean;
  /** Colours of a cell, where the terminal has them; it must not change what is printed. */
  readonly paint?: (cell: string) => string;
}

/** Stands in place of a row: an empty line. */
export const GAP: readonly string[] = [];

const BETWEEN = "  ";

/** How wide the table of these rows is, in characters. */
export function tableWidth(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): number {
  const widths = widthsOf(columns, rows);
  return widths.reduce((sum, width) => sum + width, BETWEEN.length * (widths.length - 1));
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
  const widths = widthsOf(columns, rows);
  const bold = (line: string): string =>
    hasColour ? styleText("bold", line, { validateStream: false }) : line;
  return [
    ...headLines(columns).map((cells) => bold(tableLine(cells, columns, widths))),
    ...rows.map((row) => tableLine(row, columns, widths, hasColour)),
  ].join("\n");
}

/** One line of a table: a cell for each column, right-aligned where it is a number. */
function tableLine(
  cells: readonly string[],
  columns: readonly Column[],
  widths: readonly number[],
  hasColour = false,
): string {
  return cells
    .map((cell, i) => {
      const { isNumber, paint } = columns[i]!;
      const blanks = " ".repeat(widths[i]! - cell.length);
      const shown = hasColour && paint ? paint(cell) : cell;
      return isNumber ? blanks + shown : shown + blanks;
    })
    .join(BETWEEN)
    .trimEnd();
}

function widthsOf(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): readonly number[] {
  const lines = [...headLines(columns), ...rows];
  return columns.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
}

function headLines(columns: readonly Column[]): readonly (readonly string[])[] {
  const parts = columns.map(({ head }) => head.split("\n"));
  const height = Math.max(...parts.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) =>
    parts.map((lines) => lines[line - height + lines.length] ?? ""),
  );
}
