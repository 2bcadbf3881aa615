import { ApiError } from "./api-error.ts";
import type { EngineCounters } from "./engine-counters.ts";
import { InjectedStatus } from "./request-faults.ts";

/**
 * Counts a request for text, and how it ended where no reply was begun; a reply tells of its end
 * itself.
 */
export async function countText(
  counters: EngineCounters,
  taking: () => Promise<void>,
): Promise<void> {
  counters.requests++;
  try {
    await taking();
  } catch (error) {
    if (error instanceof InjectedStatus) counters.ends.failed++;
    else if (error instanceof ApiError) counters.refused++;
    // The client went away in the middle of its own request.
    else counters.ends.abandoned++;
    throw error;
  }
}
