import { knownText } from "../../energy/known-text.ts";
import { parseLine } from "../../energy/parse-line.ts";

/** What nvidia-smi answered to one query: a row for each GPU, a cell for each column. */
export interface Answer {
  /** The power field that was asked for. */
  readonly field: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * The id that the readings of this row will carry: its uuid where it has one of its own, else its
 * index. A row with neither gets an id that no reading carries, so that it counts as missing.
 */
export function idOf(answer: Answer, row: readonly string[]): string {
  for (const column of ["uuid", "index"]) {
    const text = knownText(cell(answer, row, column));
    const isOwn = answer.rows.every(
      (other) => other === row || cell(answer, other, column) !== text,
    );
    if (text !== undefined && isOwn) return text;
  }
  return `GPU in row ${answer.rows.indexOf(row) + 1} (${row[0]})`;
}

/** Rows of the wanted GPUs that give power. */
export function readable(
  answer: Answer,
  wanted?: readonly string[],
): readonly (readonly string[])[] {
  return used(answer, wanted).filter((row) => isReadable(answer, row));
}

/** Rows of the wanted GPUs; all of them when none is named. */
export function used(
  answer: Answer,
  wanted: readonly string[] | undefined,
): readonly (readonly string[])[] {
  return answer.rows.filter(
    (row) =>
      wanted === undefined ||
      wanted.includes(idOf(answer, row)) ||
      wanted.includes(cell(answer, row, "index") ?? ""),
  );
}

/** Whether a row gives power. */
export function isReadable(answer: Answer, row: readonly string[]): boolean {
  return parseLine(row.join(","), 0, answer.columns) !== undefined;
}

/** The cell of a row by its column's name. */
export function cell(answer: Answer, row: readonly string[], column: string): string | undefined {
  return row[answer.columns.indexOf(column)];
}

/** A cell of watts, where it is a number. */
export function wattsIn(cellText: string | undefined): number | undefined {
  return cellText === undefined ? undefined : parseLine(cellText, 0)?.powerW;
}

/** Whether no wanted GPU gives power. */
export function isSilent(answer: Answer, wanted: readonly string[] | undefined): boolean {
  return used(answer, wanted).length > 0 && readable(answer, wanted).length === 0;
}
