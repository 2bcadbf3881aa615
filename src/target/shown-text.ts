/** More of what a server says does not fit a message. */
const MOST_SHOWN = 300;

/**
 * What a server said, fit to be shown: without the target's secrets, on one line, without the
 * control characters that a terminal would obey, and not too long. It is cut last, so that no part
 * of a secret is left at the end.
 */
export function shownText(target: { redact(text: string): string }, text: string): string {
  const line = target
    .redact(text)
    // C0, DEL and C1, and the marks that turn the direction of a text.
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, " ")
    .replace(/ {2,}/g, " ")
    .trim();
  return line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)}…` : line;
}
