import type { LoadResult } from "../load/load-pool.ts";
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

/**
 * A load that came to its end without a connection, with the target looked for once more: a short
 * load ends before its patience does, and the next one would only find the same.
 */
export async function withTargetLookedFor(
  result: LoadResult,
  target: Target,
  signal: AbortSignal,
): Promise<LoadResult> {
  if (result.stopped !== undefined || !result.isUnconnected || signal.aborted) return result;
  try {
    const reply = await getJson(target, target.apiUrl("models"), { signal });
    const isThere = reply.state === "ok" || reply.httpStatus !== undefined;
    return isThere ? result : { ...result, stopped: "target_gone", failure: reply.message };
  } catch (error) {
    if (signal.aborted) return result;
    throw error;
  }
}
