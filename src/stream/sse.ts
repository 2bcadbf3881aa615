/** One dispatched event of an event stream. */
export interface SseEvent {
  /** The `event` field; empty where there was none. */
  readonly type: string;
  /** The `data` lines joined by LF. */
  readonly data: string;
  /** The value of an `error` field, which no standard knows and llama.cpp of 2025 sent. */
  readonly errorField: string | undefined;
  /** Offset of the byte that completed the event: the read that brought it is the event's time. */
  readonly endOffset: number;
}

const LF = 10;
const CR = 13;
const COLON = 58;
const SPACE = 32;

/**
 * Splits the bytes of an event stream into events, by the WHATWG rules.
 *
 * It walks over one buffer that only grows and can stop anywhere: `scan` goes on where it left
 * off, so every byte is looked at once. It stops for good behind `[DONE]`.
 */
export class SseSplitter {
  readonly events: SseEvent[] = [];
  /** `[DONE]` has been dispatched. */
  isDone = false;
  /** Offset at which the event that is being read began. */
  eventStart = 0;
  #at = 0;
  #lineStart = 0;
  #isAfterCr = false;
  #isStarted = false;
  #type = "";
  #data: string | undefined;
  #errorField: string | undefined;

  /** Reads on up to `length`; what has no line end yet waits for the next call. */
  scan(bytes: Buffer, length: number): void {
    if (!this.#isStarted && !this.#skipByteOrderMark(bytes, length)) return;
    let at = this.#at;
    while (at < length && !this.isDone) {
      const from = at;
      while (at < length && bytes[at] !== LF && bytes[at] !== CR) at++;
      if (at > from) this.#isAfterCr = false;
      if (at === length) break;
      const isCr = bytes[at] === CR;
      // The LF of a CR LF ends no line of its own.
      if (isCr || !this.#isAfterCr) this.#endLine(bytes, at);
      this.#isAfterCr = isCr;
      this.#lineStart = ++at;
    }
    this.#at = at;
  }

  /**
   * Ends the stream cleanly: an event that lacks its blank line is used if its data is whole JSON
   * or `[DONE]`, a lost count being worse than leniency; half an event does not parse.
   */
  finish(bytes: Buffer, length: number): void {
    this.scan(bytes, length);
    // A stream shorter than the mark has nothing else.
    if (this.isDone || !this.#isStarted) return;
    if (this.#lineStart < length) this.#takeField(bytes, this.#lineStart, length);
    if (isWhole(this.#data ?? this.#errorField)) this.#dispatch(length - 1);
  }

  #skipByteOrderMark(bytes: Buffer, length: number): boolean {
    const mark = [0xef, 0xbb, 0xbf];
    const isMark = mark.every((byte, i) => i >= length || bytes[i] === byte);
    if (isMark && length < mark.length) return false;
    this.#isStarted = true;
    if (isMark) {
      this.#at = mark.length;
      this.#lineStart = mark.length;
    }
    return true;
  }

  #endLine(bytes: Buffer, end: number): void {
    if (end === this.#lineStart) this.#dispatch(end);
    else this.#takeField(bytes, this.#lineStart, end);
  }

  #takeField(bytes: Buffer, start: number, end: number): void {
    if (isDataField(bytes, start, end)) {
      this.#addData(valueAt(bytes, start + 5, end));
      return;
    }
    if (bytes[start] === COLON) return;
    let colon = start;
    while (colon < end && bytes[colon] !== COLON) colon++;
    const name = bytes.toString("utf8", start, colon);
    const value = colon === end ? "" : valueAt(bytes, colon + 1, end);
    if (name === "data") this.#addData(value);
    else if (name === "event") this.#type = value;
    else if (name === "error") this.#errorField = value;
  }

  #addData(value: string): void {
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
  }

  #dispatch(endOffset: number): void {
    if (this.#data !== undefined || this.#errorField !== undefined) {
      const data = this.#data ?? "";
      this.events.push({ type: this.#type, data, errorField: this.#errorField, endOffset });
      this.isDone = isDoneSign(data);
    }
    this.#type = "";
    this.#data = undefined;
    this.#errorField = undefined;
    this.eventStart = endOffset + 1;
  }
}

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

/** Whether the line begins with `data:`, as nearly all do. */
function isDataField(bytes: Buffer, start: number, end: number): boolean {
  return (
    end - start >= 5 &&
    bytes[start] === 0x64 &&
    bytes[start + 1] === 0x61 &&
    bytes[start + 2] === 0x74 &&
    bytes[start + 3] === 0x61 &&
    bytes[start + 4] === COLON
  );
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

/** Only one leading space is dropped: the second one is the model's. */
function valueAt(bytes: Buffer, start: number, end: number): string {
  return bytes.toString("utf8", start < end && bytes[start] === SPACE ? start + 1 : start, end);
}

function isWhole(data: string | undefined): boolean {
  if (data === undefined) return false;
  if (isDoneSign(data)) return true;
  // The first half of a number is a number too: only an object shows that it is whole.
  if (!data.trimStart().startsWith("{")) return false;
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
}
