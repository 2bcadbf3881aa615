/** Whether an open loop sent its requests at the rate that was asked for. */
export interface AchievedRate {
  readonly askedPerS: number;
  readonly achievedPerS: number;
  /** Whether at least 98 % of the rate was reached; if not, the run was not the one asked for. */
  readonly isReached: boolean;
}

/** Below this share of the asked rate, another load was measured than was asked for. */
const LEAST_SHARE = 0.98;

/**
 * The rate of an open loop, by its sends.
 *
 * @param dueMs - when each request was due.
 * @param lastSentMs - when the last one was sent, on the same clock as the due times.
 * @returns `undefined` for fewer than two requests, or when all are due at once: then there is no rate.
 */
export function achievedRate(
  dueMs: readonly number[] | Float64Array,
  lastSentMs: number,
): AchievedRate | undefined {
  const gaps = dueMs.length - 1;
  const askedMs = (dueMs.at(-1) ?? 0) - (dueMs[0] ?? 0);
  if (gaps < 1 || askedMs <= 0) return undefined;
  const askedPerS = (gaps * 1000) / askedMs;
  const achievedPerS = (gaps * 1000) / Math.max(askedMs, lastSentMs - dueMs[0]!);
  return { askedPerS, achievedPerS, isReached: achievedPerS >= LEAST_SHARE * askedPerS };
}
