const waiting: (() => void)[] = [];

/**
 * A turn of the event loop for the caller alone, in order of asking.
 *
 * Replies that end together are parsed one per turn: between two of them every socket that is ready
 * is read and stamped. Parsed in one go, a hundred of them would stamp all else tens of ms late.
 */
export function ownTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(giveTurn);
  });
}

function giveTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(giveTurn);
}
