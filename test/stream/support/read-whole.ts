import { Arena } from "../../../src/stream/arena.ts";
import { buildOutcome } from "../../../src/stream/build-outcome.ts";
import type { ConnectionUser } from "../../../src/stream/connection.ts";
import { Exchange } from "../../../src/stream/exchange.ts";
import type { Fault, RequestOutcome } from "../../../src/stream/request-outcome.ts";
import { RequestWatch } from "../../../src/stream/request-watch.ts";

/** How the bytes are cut into reads: pieces of one length, or at these offsets. */
export type Cut = number | readonly number[];

/**
 * Puts the bytes of a response through the reading side of a request without any socket. Read
 * number i arrives at i ms; after the last one the connection ends.
 */
export function readWhole(response: Buffer, cut: Cut): RequestOutcome {
  const arena = new Arena();
  let settled: { fault: Fault | null; atMs: number } | undefined;
  const watch = new RequestWatch({ timeoutMs: 0, idleTimeoutMs: 0, signal: undefined }, 0);
  const exchange = new Exchange(arena, watch, (fault, atMs) => {
    settled = { fault, atMs };
  });
  const user: ConnectionUser = exchange;
  const shared = Buffer.alloc(response.length);
  let read = 0;
  for (const piece of pieces(response, cut)) {
    if (settled !== undefined) break;
    shared.set(piece);
    user.onBytes(shared, piece.length, read++);
    // The buffer is used again: nothing may look at it after the call.
    shared.fill(0x58);
  }
  user.onEnd(read);
  const { fault, atMs } = settled!;
  const { reader, splitter, networkReads, firstByteMs } = exchange;
  const facts = {
    dueMs: null,
    startedMs: 0,
    connectedMs: null,
    sentMs: 0,
    firstByteMs,
    endMs: atMs,
    networkReads,
    reusedConnection: false,
    remoteAddress: null,
  };
  return buildOutcome(
    { head: reader.head, arena, splitter, fault, facts },
    { keepText: true, redact: (text) => text },
  );
}

function* pieces(bytes: Buffer, cut: Cut): Generator<Buffer> {
  const offsets = typeof cut === "number" ? multiplesOf(cut, bytes.length) : cut;
  let from = 0;
  for (const offset of [...offsets, bytes.length]) {
    if (offset <= from || offset > bytes.length) continue;
    yield bytes.subarray(from, offset);
    from = offset;
  }
}

function multiplesOf(step: number, limit: number): number[] {
  return Array.from({ length: Math.ceil(limit / step) }, (_, i) => (i + 1) * step);
}
