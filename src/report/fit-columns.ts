import { type Column, tableWidth } from "./columns-table.ts";

/** A column with its cells, and how much it is worth: the lowest rank goes first. */
export interface RankedColumn extends Column {
  readonly rank: number;
  readonly cells: readonly string[];
}

/** From this rank on a column is never left out. */
const ALWAYS = 10;

/** Leaves out columns until the table fits. @returns also the heads of those left out. */
export function fitColumns(
  columns: readonly RankedColumn[],
  width: number,
): { readonly kept: readonly RankedColumn[]; readonly dropped: readonly string[] } {
  const rows = columns[0]?.cells.map((_, row) => columns.map(({ cells }) => cells[row]!)) ?? [];
  const least = Math.min(...columns.map(({ rank }) => rank));
  if (least >= ALWAYS || tableWidth(columns, rows) <= width) return { kept: columns, dropped: [] };
  const out = columns.find(({ rank }) => rank === least)!;
  const fitted = fitColumns(
    columns.filter((column) => column !== out),
    width,
  );
  return { kept: fitted.kept, dropped: [out.head.replace("\n", " ").trim(), ...fitted.dropped] };
}
