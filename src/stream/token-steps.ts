/** Tokens in each event from the running totals; `null` where one is missing or they fall. */
export function tokensByEvent(
  runningTokens: readonly number[],
  tokens: number | null,
): Uint32Array | null {
  if (runningTokens.length === 0 || tokens === null) return null;
  let before = 0;
  const steps = new Uint32Array(runningTokens.length);
  for (const [i, total] of runningTokens.entries()) {
    if (total < before) return null;
    steps[i] = total - before;
    before = total;
  }
  return before <= tokens ? steps : null;
}

/** How many of the events shared their read with another one. */
export function sharedReadEvents(tokenReads: readonly number[]): number {
  return tokenReads.filter((read, i) => read === tokenReads[i - 1] || read === tokenReads[i + 1])
    .length;
}
