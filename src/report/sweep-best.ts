import { cleanText } from "./clean-text.ts";
import type { FactRow } from "./facts-table.ts";
import { type Figure, shortNumber } from "./figure.ts";
import type { SweepRow, SweepRows } from "./sweep-rows.ts";

/** The peak and the cheapest token, of the rows that may be compared. */
export function bestRows({ rows, energy }: SweepRows): readonly FactRow[] {
  const comparable = rows.filter(({ isComparable }) => isComparable);
  if (comparable.length === 0)
    return rows.length === 0 ? [] : [["peak", "—: no row is comparable; the notes say why"]];
  const peak = bestBy(comparable, (row) => row.tokensPerS, 1);
  const cheapest = bestBy(comparable, (row) => row.joulesPerToken, -1);
  const unit = energy === "plain" ? "J/token by the plain integral" : "J/token";
  return [
    ...(peak === undefined ? [] : [["peak", `${peak.shown} tok/s: ${peak.label}`] as const]),
    ...(cheapest === undefined
      ? []
      : [["cheapest", `${cheapest.shown} ${unit}: ${cheapest.label}`] as const]),
  ];
}

function bestBy(
  rows: readonly SweepRow[],
  pick: (row: SweepRow) => Figure,
  sign: 1 | -1,
): { readonly shown: string; readonly label: string } | undefined {
  const known = rows.flatMap((row) => {
    const figure = pick(row);
    return "value" in figure ? [{ label: row.label, value: figure.value }] : [];
  });
  const [best] = known.toSorted((a, b) => sign * (b.value - a.value));
  return best && { shown: shortNumber(best.value), label: cleanText(best.label) };
}
