import { nowMs } from "../clock.ts";
import type { RequestTarget } from "../target/request-target.ts";
import { giveBackArena, takeArena } from "./arena.ts";
import { buildOutcome } from "./build-outcome.ts";
import type { Connection } from "./connection.ts";
import type { Connections } from "./connections.ts";
import { Exchange } from "./exchange.ts";
import type { OutcomeOptions } from "./exchange-record.ts";
import { inTurns, isBehind } from "./in-turns.ts";
import type { Acquired } from "./open-connection.ts";
import { BodyReader } from "./read-body.ts";
import { ReplyReading } from "./read-reply.ts";
import type { Fault, RequestOutcome } from "./request-outcome.ts";
import type { RequestWatch } from "./request-watch.ts";

/** What a request needs from here on; it has its connection. */
export interface Conversation {
  readonly acquired: Acquired;
  readonly text: string;
  readonly target: RequestTarget;
  readonly connections: Connections;
  readonly watch: RequestWatch;
  readonly dueMs: number | null;
  readonly startedMs: number;
  readonly outcome: OutcomeOptions;
  readonly onSettled: (() => void) | undefined;
}

/** Sends the request, waits until it is settled, and reads what came. */
export async function converse(conversation: Conversation): Promise<RequestOutcome> {
  const { acquired, text, target, connections, watch, outcome, onSettled } = conversation;
  const { dueMs, startedMs } = conversation;
  const { connection, connectedMs } = acquired;
  const remoteAddress = target.socketPath ?? connection.remoteAddress ?? null;
  const arena = takeArena();
  let sentMs = 0;
  const { exchange, fault, endMs } = await new Promise<Settled>((resolve) => {
    const exchange = new Exchange(arena, watch, (fault, endMs) => {
      watch.stop();
      free({ connection, connections, target, exchange, fault });
      resolve({ exchange, fault, endMs });
      if (!isBehind()) onSettled?.();
    });
    sentMs = nowMs();
    exchange.start(connection, text);
  });
  const { reader, splitter, networkReads, firstByteMs } = exchange;
  const record = {
    head: reader.head,
    arena,
    splitter,
    fault,
    facts: {
      dueMs,
      startedMs,
      connectedMs,
      sentMs,
      firstByteMs,
      endMs,
      networkReads,
      reusedConnection: connectedMs === null,
      remoteAddress,
    },
  };
  const body = new BodyReader(record);
  try {
    return await inTurns(() => {
      const read = body.next();
      return read === undefined ? undefined : buildOutcome(record, outcome, read);
    });
  } catch (error) {
    // What no reading of ours was made for must not end the run that meets it.
    const message = `the reply could not be read: ${error instanceof Error ? error.message : error}`;
    const unread = { form: "nothing", reading: new ReplyReading(), body: "" } as const;
    return buildOutcome({ ...record, fault: { errorKind: "malformed", message } }, outcome, unread);
  } finally {
    giveBackArena(arena);
  }
}

interface Settled {
  readonly exchange: Exchange;
  readonly fault: Fault | null;
  readonly endMs: number;
}

/** A connection on which something went wrong is never used again. */
function free(from: {
  readonly connection: Connection;
  readonly connections: Connections;
  readonly target: RequestTarget;
  readonly exchange: Exchange;
  readonly fault: Fault | null;
}): void {
  if (from.fault !== null) from.connection.destroy();
  else from.connections.release(from.connection, from.target, from.exchange.reader);
}
