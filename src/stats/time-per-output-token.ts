/** What time per output token needs to know of a request; `null` where it is not known. */
export interface OutputSpan {
  readonly firstTokenMs: number | null;
  readonly lastTokenMs: number | null;
  /** Events that brought output. */
  readonly tokenEventCount: number;
  readonly completionTokens: number | null;
}

/**
 * TPOT of one request in ms: from the first token to the last, over the tokens after the first.
 *
 * @returns `undefined` for fewer than two tokens, or fewer than two events: a reply that came in one
 *   piece shows no time per token, and certainly not 0 ms.
 */
export function tpotMs(span: OutputSpan): number | undefined {
  const { firstTokenMs, lastTokenMs, tokenEventCount, completionTokens } = span;
  if (firstTokenMs === null || lastTokenMs === null || completionTokens === null) return undefined;
  if (!(completionTokens >= 2) || tokenEventCount < 2) return undefined;
  const tpot = (lastTokenMs - firstTokenMs) / (completionTokens - 1);
  if (!(tpot >= 0))
    throw new RangeError(`the last token cannot come before the first (${tpot} ms)`);
  return tpot;
}
