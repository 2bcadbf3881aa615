import { nowMs } from "../clock.ts";

/** How long replies may be parsed before the sockets are looked at again, in ms. */
const SLICE_MS = 2;
/** More replies than this that wait for their turn are too many. */
const MOST_WAITING = 256;

/** Works that wait for their turn, in order of asking. */
const waiting: (() => boolean)[] = [];

/**
 * Does a work in slices, with turns of the event loop between them in which every socket that is
 * ready is read and stamped. Done in one go, a hundred replies that end together, or one very long
 * one, would stamp all else tens of ms late.
 *
 * @param work - does a part of the work in a fraction of a ms; `undefined` means that there is more.
 */
export function inTurns<T extends object>(work: () => T | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const goOn = (): boolean => {
      try {
        const result = work();
        if (result !== undefined) resolve(result);
        return result !== undefined;
      } catch (error) {
        reject(error);
        return true;
      }
    };
    if (waiting.push(goOn) === 1) setImmediate(giveTurn);
  });
}

/** Whether replies come faster than they are parsed: each that waits keeps its bytes. */
export function isBehind(): boolean {
  return waiting.length >= MOST_WAITING;
}

function giveTurn(): void {
  const untilMs = nowMs() + SLICE_MS;
  let done = 0;
  while (done < waiting.length) {
    if (waiting[done]!()) done++;
    if (nowMs() >= untilMs) break;
  }
  waiting.splice(0, done);
  if (waiting.length > 0) setImmediate(giveTurn);
}
