import { isDataField, isDoneSign } from "./done-mark.ts";

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
/** The byte order mark. */
const MARK = [0xef, 0xbb, 0xbf];

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
    for (let event = this.next(bytes, length); event; event = this.next(bytes, length)) {
      this.events.push(event);
    }
  }

  /** Reads on up to the next event, and keeps no note of it. */
  next(bytes: Buffer, length: number): SseEvent | undefined {
    if (!this.#isStarted && !this.#skipByteOrderMark(bytes, length)) return undefined;
    let event: SseEvent | undefined;
    let at = this.#at;
    while (at < length && !this.isDone && event === undefined) {
      const from = at;
      while (at < length && bytes[at] !== LF && bytes[at] !== CR) at++;
      if (at > from) this.#isAfterCr = false;
      if (at === length) break;
      const isCr = bytes[at] === CR;
      // The LF of a CR LF ends no line of its own.
      if (isCr || !this.#isAfterCr) event = this.#endLine(bytes, at);
      this.#isAfterCr = isCr;
      this.#lineStart = ++at;
    }
    this.#at = at;
    return event;
  }

  /** Whether nothing has been read of the event that comes next. */
  get isBetweenEvents(): boolean {
    return this.#at === this.eventStart;
  }

  /** Goes on behind an event that somebody else has read; only between events. */
  skipTo(offset: number): void {
    this.#at = offset;
    this.#lineStart = offset;
    this.eventStart = offset;
    this.#isAfterCr = false;
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
    if (!isWhole(this.#data ?? this.#errorField)) return;
    const event = this.#dispatch(length - 1);
    if (event !== undefined) this.events.push(event);
  }

  #skipByteOrderMark(bytes: Buffer, length: number): boolean {
    const isMark = MARK.every((byte, i) => i >= length || bytes[i] === byte);
    if (isMark && length < MARK.length) return false;
    this.#isStarted = true;
    if (isMark) {
      this.#at = MARK.length;
      this.#lineStart = MARK.length;
    }
    return true;
  }

  #endLine(bytes: Buffer, end: number): SseEvent | undefined {
    if (end === this.#lineStart) return this.#dispatch(end);
    this.#takeField(bytes, this.#lineStart, end);
    return undefined;
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

  #dispatch(endOffset: number): SseEvent | undefined {
    let event: SseEvent | undefined;
    if (this.#data !== undefined || this.#errorField !== undefined) {
      const data = this.#data ?? "";
      event = { type: this.#type, data, errorField: this.#errorField, endOffset };
      this.isDone = isDoneSign(data);
    }
    this.#type = "";
    this.#data = undefined;
    this.#errorField = undefined;
    this.eventStart = endOffset + 1;
    return event;
  }
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
