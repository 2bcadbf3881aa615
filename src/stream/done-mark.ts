const LF = 10;
const CR = 13;
const COLON = 58;
const SPACE = 32;

/** Whether an event's data is the sign that the reply is over. */
export function isDoneSign(data: string): boolean {
  return data.length < 64 && data.trim() === "[DONE]";
}

/**
 * Where `[DONE]` stands in the bytes from `from` on, or -1: a cheap look that spares a running
 * stream the real splitting. A hit may be text of the model; a miss is certain.
 */
export function findDoneMark(bytes: Buffer, from: number, length: number): number {
  for (let at = Math.max(from, 5); at < length; at++) {
    if (
      bytes[at] === 0x5d &&
      bytes[at - 1] === 0x45 &&
      bytes[at - 2] === 0x4e &&
      bytes[at - 3] === 0x4f &&
      bytes[at - 4] === 0x44 &&
      bytes[at - 5] === 0x5b
    )
      return at - 5;
  }
  return -1;
}

/**
 * Whether the mark at `at` is a dispatched `[DONE]`: the one data line of an event, between blank
 * lines. A look at its surroundings; `false` leaves open what a whole reading would say.
 */
export function isDoneEvent(bytes: Buffer, at: number, length: number): boolean {
  const valueStart = bytes[at - 1] === SPACE ? at - 1 : at;
  const lineStart = valueStart - 5;
  if (lineStart < 0 || !isDataField(bytes, lineStart, valueStart)) return false;
  const end = behindLineEnd(bytes, at + 6, length);
  if (end === -1 || behindLineEnd(bytes, end, length) === -1) return false;
  if (lineStart === 0) return true;
  const isCrLf = bytes[lineStart - 1] === LF && bytes[lineStart - 2] === CR;
  const before = lineStart - (isCrLf ? 3 : 2);
  return isLineEnd(bytes[lineStart - 1]) && (before < 0 || isLineEnd(bytes[before]));
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === LF || byte === CR;
}

/** Where the next line begins if this one ends at `at`; -1 if it does not, or not yet. */
function behindLineEnd(bytes: Buffer, at: number, length: number): number {
  if (at >= length || !isLineEnd(bytes[at])) return -1;
  return bytes[at] === CR && at + 1 < length && bytes[at + 1] === LF ? at + 2 : at + 1;
}

/** Whether the line begins with `data:`, as nearly all do. */
export function isDataField(bytes: Buffer, start: number, end: number): boolean {
  return (
    end - start >= 5 &&
    bytes[start] === 0x64 &&
    bytes[start + 1] === 0x61 &&
    bytes[start + 2] === 0x74 &&
    bytes[start + 3] === 0x61 &&
    bytes[start + 4] === COLON
  );
}
