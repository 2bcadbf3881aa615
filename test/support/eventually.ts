import { readFileSync } from "node:fs";

/** Waits until `isTrue` holds, looking every 10 ms; fails with `what` after `withinMs`. */
export async function eventually(
  what: string,
  isTrue: () => boolean,
  withinMs = 10_000,
): Promise<void> {
  const untilMs = performance.now() + withinMs;
  while (!isTrue()) {
    if (performance.now() > untilMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Whether a process is there and is no zombie that waits for its parent. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
