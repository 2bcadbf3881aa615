import type { LoadResult } from "../load/load-pool.ts";
import type { RequestErrorKind } from "../stream/request-outcome.ts";
import { getJson } from "../target/json-client.ts";
import type { Target } from "../target/target.ts";

/** Requests in a row that fail before a target is given up, for so many in flight at once. */
export function patience(concurrency: number): {
  readonly stopAfterFirstFailures: number;
  readonly stopAfterFailuresInARow: { readonly unconnected: number; readonly any: number };
} {
  return {
    stopAfterFirstFailures: Math.max(8, concurrency),
    stopAfterFailuresInARow: {
      unconnected: Math.max(8, 2 * concurrency),
      any: Math.max(100, 10 * concurrency),
    },
  };
}

/** Failures after which a target may well be gone. */
const CUT_OFF: readonly RequestErrorKind[] = [
  "connect_failed",
  "connection_reset",
  "truncated",
  "timeout",
];

/**
 * A load that came to its end cut off from its target, with the target looked for once more: a short
 * load ends before its patience does, and the next one would only find the same.
 */
export async function withTargetLookedFor(
  result: LoadResult,
  target: Target,
  signal: AbortSignal,
): Promise<LoadResult> {
  const { stopped, lastFailure } = result;
  if (stopped !== undefined || lastFailure === undefined || signal.aborted) return result;
  if (!CUT_OFF.includes(lastFailure.errorKind)) return result;
  try {
    const reply = await getJson(target, target.apiUrl("models"), { signal });
    const isThere = reply.state === "ok" || reply.httpStatus !== undefined;
    return isThere ? result : { ...result, stopped: "target_gone", failure: lastFailure.message };
  } catch (error) {
    if (signal.aborted) return result;
    throw error;
  }
}
