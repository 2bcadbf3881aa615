import { setTimeout as sleep } from "node:timers/promises";

/** A server that is busy or starting says so with one of these, and may answer a moment later. */
function isPassing(httpStatus: number | null | undefined): boolean {
  return httpStatus === 429 || (httpStatus ?? 0) >= 500;
}

const PAUSES_MS = [500, 1500];

/**
 * Asks once more, twice at most, where a server was busy. Only for what prepares a run: a request
 * that is measured is sent once.
 *
 * @param ask - what it resolves to tells its HTTP status, where there was one.
 */
export async function askAgain<T extends { readonly httpStatus?: number | null }>(
  ask: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  for (const pauseMs of PAUSES_MS) {
    const answer = await ask();
    if (!isPassing(answer.httpStatus)) return answer;
    await sleep(pauseMs, undefined, { signal });
  }
  return ask();
}
