import { ChunkLine } from "./chunk-line.ts";
import { parseHead, type ResponseHead } from "./http-head.ts";

/** Where the body's bytes go; whoever takes them copies them at once, the buffer is used again. */
export interface BodySink {
  append(source: Buffer, from: number, to: number): void;
}

const HEAD_LIMIT_BYTES = 64 * 1024;

const LF = 10;

const HEAD = 0;
const CHUNK_LINE = 1;
const CHUNK_DATA = 2;
const TRAILER = 3;
const FIXED = 4;
const UNTIL_CLOSE = 5;
const OVER = 6;

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
  readonly #chunkLine: ChunkLine = new ChunkLine();
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
    if (this.#missing > 0) return end;
    if (this.#state === FIXED) this.#state = OVER;
    else this.#startChunk(false);
    return end;
  }

  #takeChunkByte(byte: number): void {
    const line = this.#chunkLine;
    line.take(byte);
    if (line.problem !== undefined) this.#break(line.problem);
    else if (line.isOver) {
      this.#missing = line.size;
      this.#state = line.size === 0 ? TRAILER : CHUNK_DATA;
    }
  }

  #startChunk(isFirst: boolean): void {
    this.#chunkLine.start(isFirst);
    this.#state = CHUNK_LINE;
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
    if (framing.kind === "chunked") this.#startChunk(true);
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
