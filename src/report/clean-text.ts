/**
 * What others wrote (a server, a file), fit to be shown on a terminal: on one line, without the
 * characters that a terminal would obey.
 */
export function cleanText(text: string): string {
  return text
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, " ")
    .replace(/ {2,}/g, " ")
    .trim();
}

/** A text that is too long loses its middle, since names differ at both ends. */
export function shorten(text: string, width: number): string {
  if (text.length <= width) return text;
  const kept = Math.max(1, width - 1);
  const head = Math.ceil(kept / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (kept - head))}`;
}
