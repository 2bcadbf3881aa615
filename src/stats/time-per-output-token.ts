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
