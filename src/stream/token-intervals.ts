/**
 * Time per output token: (last − first)/(n − `firstTokens`), in ms.
 *
 * @param tokenAtMs - arrival times of the token events, in order.
 * @param tokens - n; `null` where it is not known.
 * @param firstTokens - tokens that the first event brought. 1 is the usual definition, which reads
 * too low where it brought more.
 * @returns `null` where nothing was measured: n unknown, no token after the first, one event.
 */
export function tpotMs(
  tokenAtMs: ArrayLike<number>,
  tokens: number | null,
  firstTokens = 1,
): number | null {
  const last = tokenAtMs.length - 1;
  if (tokens === null || tokens < 2 || tokens <= firstTokens || last < 1) return null;
  return (tokenAtMs[last]! - tokenAtMs[0]!) / (tokens - firstTokens);
}

/** The gaps between token events, in ms: what a reader of the stream sees; never called ITL. */
export function eventGapsMs(tokenAtMs: ArrayLike<number>): Float64Array {
  const gapsMs = new Float64Array(Math.max(0, tokenAtMs.length - 1));
  for (let i = 0; i < gapsMs.length; i++) gapsMs[i] = tokenAtMs[i + 1]! - tokenAtMs[i]!;
  return gapsMs;
}

/**
 * Inter-token latencies: a gap that brings k tokens counts k times gap/k. The time to the first
 * token is none of them.
 *
 * @param tokensByEvent - tokens in each token event, as many as there are times.
 */
export function tokenGapsMs(
  tokenAtMs: ArrayLike<number>,
  tokensByEvent: ArrayLike<number>,
): Float64Array {
  const gapsMs: number[] = [];
  for (let i = 1; i < tokenAtMs.length; i++) {
    const tokens = tokensByEvent[i] ?? 0;
    const gapMs = (tokenAtMs[i]! - tokenAtMs[i - 1]!) / tokens;
    for (let k = 0; k < tokens; k++) gapsMs.push(gapMs);
  }
  return Float64Array.from(gapsMs);
}

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
