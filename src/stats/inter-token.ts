/** A gap between tokens, and how many tokens waited for that long. */
export interface TokenGap {
  readonly gapMs: number;
  readonly times: number;
}

/**
 * The event view of inter-token latency: the real gaps between one event and the next, in ms.
 *
 * @param eventTimesMs - in time order.
 * @throws {RangeError} when the times are not in order.
 */
export function eventGapsMs(eventTimesMs: ArrayLike<number>): number[] {
  const gapsMs: number[] = [];
  for (let i = 1; i < eventTimesMs.length; i++) {
    const gapMs = eventTimesMs[i]! - eventTimesMs[i - 1]!;
    if (!(gapMs >= 0)) throw new RangeError(`event ${i} arrived ${gapMs} ms after the one before`);
    gapsMs.push(gapMs);
  }
  return gapsMs;
}

/**
 * The per-token view of inter-token latency: a gap that brings k tokens is k gaps of a k-th of it.
 *
 * The gap before an event that brought no token adds to the next one that did. The tokens of the
 * first event have no gap: nothing arrived before them.
 *
 * @param eventTimesMs - in time order.
 * @param tokensByEvent - how many tokens each event brought, a whole number ≥ 0.
 * @returns `undefined` when that does not fit the events: then there is no per-token view.
 * @throws {RangeError} when the times are not in order.
 */
export function tokenGapsMs(
  eventTimesMs: ArrayLike<number>,
  tokensByEvent: ArrayLike<number>,
): TokenGap[] | undefined {
  if (tokensByEvent.length !== eventTimesMs.length) return undefined;
  const gaps: TokenGap[] = [];
  let waitedMs = 0;
  for (const [i, gapMs] of eventGapsMs(eventTimesMs).entries()) {
    const tokens = tokensByEvent[i + 1]!;
    if (!Number.isSafeInteger(tokens) || tokens < 0) return undefined;
    waitedMs += gapMs;
    if (tokens === 0) continue;
    gaps.push({ gapMs: waitedMs / tokens, times: tokens });
    waitedMs = 0;
  }
  return gaps;
}

/**
 * How many tokens each event brought, as far as the server lets us know: its steps, or one each
 * where it counted as many tokens as there were events.
 *
 * @returns `undefined` when neither holds: an even share would smooth away what ITL is there to show.
 */
export function tokensByEvent(
  eventCount: number,
  completionTokens: number | null,
  tokenSteps?: ArrayLike<number> | null,
): ArrayLike<number> | undefined {
  if (tokenSteps && tokenSteps.length === eventCount) return tokenSteps;
  if (completionTokens !== eventCount) return undefined;
  return new Uint8Array(eventCount).fill(1);
}
