/** What a row of a table was asked for. */
interface AskedLengths {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly concurrency: number;
}

/**
 * Whether a row begins a new group, which an empty line parts from the one above: at each further
 * input length, and at each further output length where it has rows of several concurrencies.
 */
export function beginsGroup(rows: readonly AskedLengths[], i: number): boolean {
  const [row, above] = [rows[i], rows[i - 1]];
  if (row === undefined || above === undefined) return false;
  if (row.inputTokens !== above.inputTokens) return true;
  const hasLevels = new Set(rows.map(({ concurrency }) => concurrency)).size > 1;
  return hasLevels && row.outputTokens !== above.outputTokens;
}

/** Whether the rows differ in such a length. */
export function hasSeveral(
  rows: readonly AskedLengths[],
  length: "inputTokens" | "outputTokens",
): boolean {
  return new Set(rows.map((row) => row[length])).size > 1;
}
