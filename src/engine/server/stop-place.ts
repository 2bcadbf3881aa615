import { replyTokenText } from "../schedule/reply-text.ts";

/** Where a stop text ends a reply. */
export interface StopPlace {
  /** The tokens of the reply, with the one that completed the stop text. */
  readonly tokens: number;
  /** As much of the text as is sent: what stands before the stop text. */
  readonly textUnits: number;
}

/**
 * Finds the first stop text in a reply that has not been begun: its tokens follow from its key. So
 * a reply ends in the same step however late its server is, and no half of a stop text is sent.
 *
 * @param minTokens - a stop text that is complete before so many tokens counts as text.
 */
export function stopPlace(
  key: number,
  stop: readonly string[],
  minTokens: number,
  mostTokens: number,
): StopPlace | undefined {
  if (stop.length === 0) return undefined;
  const longest = Math.max(...stop.map((entry) => entry.length));
  let tail = "";
  let textUnits = 0;
  for (let place = 0; place < mostTokens; place++) {
    const text = replyTokenText(key, place);
    const seen = tail + text;
    const seenFrom = textUnits - tail.length;
    textUnits += text.length;
    if (place + 1 >= minTokens) {
      const found = stop.map((entry) => seen.indexOf(entry)).filter((at) => at >= 0);
      if (found.length > 0) return { tokens: place + 1, textUnits: seenFrom + Math.min(...found) };
    }
    tail = longest > 1 ? seen.slice(1 - longest) : "";
  }
  return undefined;
}
