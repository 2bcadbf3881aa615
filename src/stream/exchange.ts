import { nowMs } from "../clock.ts";
import type { Arena } from "./arena.ts";
import { resetFault } from "./connect-fault.ts";
import type { Connection, ConnectionUser } from "./connection.ts";
import { findDoneMark, isDoneEvent } from "./done-mark.ts";
import { HttpReader } from "./http-reader.ts";
import { codingFault } from "./judge-reply.ts";
import type { Fault } from "./request-outcome.ts";
import type { RequestWatch } from "./request-watch.ts";
import { SseSplitter } from "./sse.ts";

/** Of a refusal the first kB is shown; more is not worth keeping. */
const LARGEST_REFUSAL_BYTES = 64 * 1024;
const LARGEST_REPLY_BYTES = 256 * 1024 * 1024;

/**
 * One request on one connection, from the send to the moment that settles it.
 *
 * This is the hot path: a read is stamped, copied, and looked through for `[DONE]`; all decoding
 * waits until the stream is over.
 */
export class Exchange implements ConnectionUser {
  readonly reader: HttpReader;
  readonly splitter: SseSplitter = new SseSplitter();
  networkReads = 0;
  firstByteMs: number | null = null;
  readonly #arena: Arena;
  readonly #watch: RequestWatch;
  readonly #onSettled: (fault: Fault | null, atMs: number) => void;
  #isSettled = false;
  /** Where a `[DONE]` was seen that may be the real one; -1 while there is none. */
  #markAt = -1;

  constructor(
    arena: Arena,
    watch: RequestWatch,
    onSettled: (fault: Fault | null, atMs: number) => void,
  ) {
    this.#arena = arena;
    this.reader = new HttpReader(arena);
    this.#watch = watch;
    this.#onSettled = onSettled;
  }

  start(connection: Connection, text: string): void {
    const { fault } = this.#watch;
    if (fault !== undefined) {
      this.#settle(fault, nowMs());
      return;
    }
    this.#watch.phase = "waiting for a response";
    this.#watch.lastActivityMs = nowMs();
    this.#watch.onStop = (fault, atMs) => this.#settle(fault, atMs);
    connection.send(text, this);
  }

  onBytes(bytes: Buffer, length: number, atMs: number): void {
    if (this.#isSettled) return;
    this.networkReads++;
    this.#watch.lastActivityMs = atMs;
    this.firstByteMs ??= atMs;
    const before = this.#arena.length;
    const hadHead = this.reader.head !== undefined;
    try {
      this.reader.push(bytes, length);
    } catch (error) {
      // Only memory can run out here, and no exception may leave a socket's handler.
      const message = error instanceof Error ? error.message : "unknown error";
      this.#settle({ errorKind: "client_error", message }, atMs);
      return;
    }
    if (!hadHead) this.#afterHead(atMs);
    if (this.#arena.length > before) this.#afterBody(before, atMs);
    if (this.reader.isOver && !this.#isSettled) this.#settle(this.#framingFault(), atMs);
  }

  onEnd(atMs: number): void {
    const end = this.reader.finish();
    if (end === "complete") this.#settle(this.#framingFault(), atMs);
    else if (this.reader.head === undefined)
      this.#settle(resetFault(undefined, end === "cut"), atMs);
    else this.#settle({ errorKind: "truncated", message: CUT }, atMs);
  }

  onError(error: unknown, atMs: number): void {
    this.#settle(resetFault(error, this.networkReads > 0), atMs);
  }

  #afterHead(atMs: number): void {
    const { head } = this.reader;
    if (head === undefined) {
      if (this.reader.isBeforeHead) this.firstByteMs = null;
      return;
    }
    this.#watch.phase = "reading the reply";
    const isReply = head.status >= 200 && head.status <= 299;
    if (isReply && head.codings.length > 0) this.#settle(codingFault(head), atMs);
  }

  #afterBody(before: number, atMs: number): void {
    this.#arena.markRead(atMs);
    const { bytes, length } = this.#arena;
    // A mark may begin up to five bytes before this read.
    if (this.#markAt === -1) this.#markAt = findDoneMark(bytes, before, length);
    if (this.#markAt !== -1 && this.#isDoneAt(before)) this.#settle(null, atMs);
    const isRefusal = (this.reader.head?.status ?? 0) > 299;
    if (isRefusal && length > LARGEST_REFUSAL_BYTES) this.#settle(null, atMs);
    else if (length > LARGEST_REPLY_BYTES) {
      this.#settle({ errorKind: "too_large", message: "the reply is larger than 256 MiB" }, atMs);
    }
  }

  /** Splits what has come so far where a look is not enough: it may be the model's own words. */
  #isDoneAt(before: number): boolean {
    const { bytes, length } = this.#arena;
    if (isDoneEvent(bytes, this.#markAt, length)) return true;
    this.splitter.scan(bytes, length);
    if (this.splitter.isDone) return true;
    if (this.splitter.eventStart > this.#markAt) {
      const from = Math.max(before, this.splitter.eventStart);
      this.#markAt = findDoneMark(bytes, from + 5, length);
    }
    return false;
  }

  #framingFault(): Fault | null {
    const { problem } = this.reader;
    return problem === undefined ? null : { errorKind: "malformed", message: problem };
  }

  #settle(fault: Fault | null, atMs: number): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#onSettled(fault, atMs);
  }
}

const CUT = "the connection closed before the end of the response";
