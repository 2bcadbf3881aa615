/**
 * How long the server asks to wait, in s; `null` where it does not say.
 *
 * A date is read against the response's own `Date`: this machine's wall clock has no part in it.
 */
export function retryAfterS(headers: ReadonlyMap<string, string>): number | null {
  const text = headers.get("retry-after");
  if (text === undefined) return null;
  if (/^\d{1,9}(?:\.\d+)?$/.test(text)) return Number(text);
  const waitMs = Date.parse(text) - Date.parse(headers.get("date") ?? "");
  return Number.isFinite(waitMs) ? Math.max(0, waitMs / 1000) : null;
}
