/** Figures of a record by key: finite numbers; what was not measured has no key. */
export type Metrics = Readonly<Record<string, number>>;

/** The finite ones of the given figures, in the order of their keys. */
export function finiteSorted(figures: Readonly<Record<string, number | undefined>>): Metrics {
  const entries = Object.entries(figures)
    .filter((entry): entry is [string, number] => Number.isFinite(entry[1]))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries);
}
