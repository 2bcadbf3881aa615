import { parseHead, type ResponseHead } from "./http-head.ts";

/** Where the body's bytes go; whoever takes them copies them at once, the buffer is used again. */
export interface BodySink {
  append(source: Buffer, from: number, to: number): void;
}

const HEAD_LIMIT_BYTES = 64 * 1024;
const CHUNK_LINE_LIMIT_BYTES = 16 * 1024;
/** More hexadecimal digits than any size that a number holds exactly. */
const CHUNK_SIZE_DIGITS = 13;

const CR = 13;
const LF = 10;

const HEAD = 0;
const CHUNK_SIZE = 1;
const CHUNK_EXTENSION = 2;
const CHUNK_SIZE_LF = 3;
const CHUNK_DATA = 4;
const CHUNK_END = 5;
const CHUNK_END_LF = 6;
const TRAILER = 7;
const FIXED = 8;
const UNTIL_CLOSE = 9;
const OVER = 10;

/** What the end of the connection means for the response that was being read. */
export type EndOfInput = "complete" | "cut" | "nothing";

/**
 * Reads one HTTP/1.x response from bytes as they come, however they are cut.
 *
 * Interim (1xx) responses are passed over; trailers are read and dropped. It never throws.
 */
export class HttpReader {
  head: ResponseHead | undefined;
  /** What is wrong, where the bytes are not HTTP; nothing is read after that. */
  problem: string | undefined;
  /** More bytes came than the response has: the connection cannot be trusted with another. */
  hasExcess = false;
  sink: BodySink;
  #state: number = HEAD;
  /** Bytes of the body or of the chunk that are still to come. */
  #missing = 0;
  #digits = 0;
  #line = "";
  #lines: string[] = [];
  #lineBytes = 0;
  #sawByte = false;

  constructor(sink: BodySink) {
    this.sink = sink;
  }

  /** The response is complete, or broken: no further byte belongs to it. */
  get isOver(): boolean {
    return this.#state === OVER;
  }

  get isComplete(): boolean {
    return this.#state === OVER && this.problem === undefined;
  }

  /** Nothing of a final response has come yet: at most whole interim ones. */
  get isBeforeHead(): boolean {
    return this.#state === HEAD && this.#lineBytes === 0;
  }

  push(bytes: Buffer, length: number): void {
    if (length > 0) this.#sawByte = true;
    let at = 0;
    while (at < length && this.#state !== OVER) at = this.#step(bytes, at, length);
    if (at < length) this.hasExcess = true;
  }

  /** Says what it means that the connection has ended here. */
  finish(): EndOfInput {
    if (this.#state === UNTIL_CLOSE) this.#state = OVER;
    if (this.isComplete) return "complete";
    return this.#sawByte ? "cut" : "nothing";
  }

  #step(bytes: Buffer, at: number, length: number): number {
    switch (this.#state) {
      case CHUNK_DATA:
      case FIXED:
        return this.#takeBody(bytes, at, length);
      case UNTIL_CLOSE:
        this.sink.append(bytes, at, length);
        return length;
      case HEAD:
      case TRAILER:
        return this.#takeLine(bytes, at, length);
      default:
        this.#takeChunkByte(bytes[at]!);
        return at + 1;
    }
  }

  #takeBody(bytes: Buffer, at: number, length: number): number {
    const end = Math.min(length, at + this.#missing);
    this.sink.append(bytes, at, end);
    this.#missing -= end - at;
    if (this.#missing === 0) this.#state = this.#state === FIXED ? OVER : CHUNK_END;
    return end;
  }

  #takeChunkByte(byte: number): void {
    switch (this.#state) {
      case CHUNK_SIZE:
        this.#takeSizeByte(byte);
        return;
      case CHUNK_EXTENSION:
        if (byte === LF) this.#endSizeLine();
        else if (++this.#lineBytes > CHUNK_LINE_LIMIT_BYTES)
          this.#break("a chunk's line is too long");
        return;
      case CHUNK_SIZE_LF:
        if (byte === LF) this.#endSizeLine();
        else this.#break("a chunk's size is followed by rubbish");
        return;
      case CHUNK_END:
        if (byte === CR) this.#state = CHUNK_END_LF;
        else if (byte === LF) this.#startSize();
        else this.#break("a chunk is longer than its size");
        return;
      case CHUNK_END_LF:
        if (byte === LF) this.#startSize();
        else this.#break("a chunk is longer than its size");
    }
  }

  #takeSizeByte(byte: number): void {
    const digit = hexDigit(byte);
    if (digit >= 0) {
      this.#missing = this.#missing * 16 + digit;
      if (++this.#digits > CHUNK_SIZE_DIGITS) this.#break("a chunk's size is no size");
    } else if (this.#digits === 0) this.#break("a chunk has no size");
    else if (byte === CR) this.#state = CHUNK_SIZE_LF;
    else if (byte === LF) this.#endSizeLine();
    else if (byte === 0x3b || byte === 0x20 || byte === 0x09) this.#state = CHUNK_EXTENSION;
    else this.#break("a chunk's size is no size");
  }

  #startSize(): void {
    this.#state = CHUNK_SIZE;
    this.#missing = 0;
    this.#digits = 0;
    this.#lineBytes = 0;
  }

  #endSizeLine(): void {
    this.#lineBytes = 0;
    this.#state = this.#missing === 0 ? TRAILER : CHUNK_DATA;
  }

  /** Takes up to the end of a line of the head or of the trailers. */
  #takeLine(bytes: Buffer, at: number, length: number): number {
    let end = at;
    while (end < length && bytes[end] !== LF) end++;
    const hasEnd = end < length;
    const next = hasEnd ? end + 1 : end;
    this.#lineBytes += next - at;
    if (this.#lineBytes > HEAD_LIMIT_BYTES) this.#break("the head is longer than 64 KiB");
    else {
      this.#line += bytes.toString("latin1", at, end);
      if (hasEnd) this.#endLine();
      else if (this.#state === HEAD && this.#lines.length === 0) this.#checkStart();
    }
    return next;
  }

  #endLine(): void {
    const line = this.#line.endsWith("\r") ? this.#line.slice(0, -1) : this.#line;
    this.#line = "";
    if (this.#state === TRAILER) {
      if (line === "") this.#state = OVER;
    } else if (line === "") {
      // A blank line before the status line is a left-over of the response before.
      if (this.#lines.length > 0) this.#endHead();
    } else {
      this.#lines.push(line);
      if (this.#lines.length === 1 && !line.startsWith("HTTP/1.")) this.#break(NOT_HTTP);
    }
  }

  /** Something else that never sends a line end must not be waited for. */
  #checkStart(): void {
    const start = "HTTP/1.".slice(0, this.#line.length);
    if (this.#line !== "\r" && !this.#line.startsWith(start)) this.#break(NOT_HTTP);
  }

  #endHead(): void {
    const head = parseHead(this.#lines);
    this.#lines = [];
    this.#lineBytes = 0;
    if (typeof head === "string") {
      this.#break(head);
      return;
    }
    if (head.status < 200 && head.status !== 101) return;
    this.head = head;
    const { framing } = head;
    if (framing.kind === "chunked") this.#startSize();
    else if (framing.kind === "close") this.#state = UNTIL_CLOSE;
    else {
      this.#missing = framing.kind === "length" ? framing.bytes : 0;
      this.#state = this.#missing === 0 ? OVER : FIXED;
    }
  }

  #break(problem: string): void {
    this.problem = problem;
    this.#state = OVER;
  }
}

const NOT_HTTP = "the server does not speak HTTP/1";

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
