import { setTimeout as delay } from "node:timers/promises";
import { nowMs } from "../../clock.ts";

/** Whoever writes a program is done within this time, in ms, or it is told as it is. */
const MOST_MS = 200;

/** Pause between two tries, in ms. */
const PAUSE_MS = 20;

/**
 * Starts a program, again for 200 ms while somebody is still writing it ("Text file busy").
 *
 * @param start - what it throws or rejects with may hold the system's error as its cause.
 */
export async function whileBusy<T>(start: () => T | Promise<T>): Promise<T> {
  const untilMs = nowMs() + MOST_MS;
  for (;;) {
    try {
      // Within one turn: listeners that `start` attaches are there before the first event.
      return await start();
    } catch (error) {
      if (!isBusy(error) || nowMs() >= untilMs) throw error;
      await delay(PAUSE_MS);
    }
  }
}

function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && error.code === "ETXTBSY") || isBusy(error.cause);
}
