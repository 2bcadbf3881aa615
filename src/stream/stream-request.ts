import { nowMs } from "../clock.ts";
import type { RequestTarget } from "../target/request-target.ts";
import { giveBackArena, takeArena } from "./arena.ts";
import { buildOutcome, type ExchangeFacts } from "./build-outcome.ts";
import type { Connection } from "./connection.ts";
import { type Acquired, type Connections, defaultConnections } from "./connections.ts";
import { Exchange } from "./exchange.ts";
import { ownTurn } from "./own-turn.ts";
import { completeBody, requestText } from "./request-bytes.ts";
import type { Fault, RequestOutcome } from "./request-outcome.ts";
import { RequestWatch } from "./request-watch.ts";
import { SseSplitter } from "./sse.ts";

export interface StreamRequestOptions {
  /** Limit of the whole request, connecting included, in ms; default 600,000; 0 is none. */
  readonly timeoutMs?: number;
  /** Limit of silence, in ms; every byte, also of a comment, ends it. Default 120,000; 0 is none. */
  readonly idleTimeoutMs?: number;
  /** Whether the text of a successful reply is kept; default true. That of a failed one always is. */
  readonly keepText?: boolean;
  /** Ends the request at once, as `cancelled`, and frees its socket. */
  readonly signal?: AbortSignal;
  /** When it should have been sent, on the run's clock; it is only noted. */
  readonly dueMs?: number;
  /** Whether `stream_options.include_usage` is asked for where the body says nothing; default true. */
  readonly includeUsage?: boolean;
  /**
   * Called when the reply is over and its connection free, before it is parsed: the place to start
   * the next request, which then waits for no parsing. Not called where nothing was sent.
   */
  readonly onSettled?: () => void;
  /** Connections to use and keep; default those of this thread. */
  readonly connections?: Connections;
}

/** 0 and a missing limit: none. */
const DEFAULT_TIMEOUT_MS = 600_000;
const DEFAULT_IDLE_TIMEOUT_MS = 120_000;

/**
 * Sends one request to an endpoint and reads its streamed reply, with the time of every token.
 *
 * The body is sent as it is, with `stream: true` and usage asked for where it leaves that open.
 * Nothing is sent twice.
 *
 * @returns what became of it; whatever a server or a network does, it never rejects.
 */
export async function streamRequest(
  target: RequestTarget,
  body: object,
  options: StreamRequestOptions = {},
): Promise<RequestOutcome> {
  const startedMs = nowMs();
  const connections = options.connections ?? defaultConnections;
  const watch = new RequestWatch(
    {
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      idleTimeoutMs: options.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS,
      signal: options.signal,
    },
    startedMs,
  );
  const outcome = { keepText: options.keepText ?? true, redact: (t: string) => target.redact(t) };
  const facts = { ...UNSENT, dueMs: options.dueMs ?? null, startedMs };
  const text = requestText(target, completeBody(body, options.includeUsage ?? true));
  watch.start();
  try {
    if (watch.fault !== undefined) return unsent(watch.fault, facts, outcome);
    if (typeof text !== "string") {
      return unsent({ errorKind: "client_error", message: text.message }, facts, outcome);
    }
    const acquired = await connections.acquire(target, watch);
    if (!("connection" in acquired)) return unsent(acquired, facts, outcome);
    const { onSettled } = options;
    const parts = { acquired, text, target, connections, watch, facts, outcome, onSettled };
    return await converse(parts);
  } finally {
    watch.stop();
  }
}

const UNSENT = {
  connectedMs: null,
  sentMs: null,
  firstByteMs: null,
  networkReads: 0,
  reusedConnection: false,
  remoteAddress: null,
} as const;

type StartFacts = Omit<ExchangeFacts, "endMs">;
type OutcomeOptions = Parameters<typeof buildOutcome>[1];

interface Conversation {
  readonly acquired: Acquired;
  readonly text: string;
  readonly target: RequestTarget;
  readonly connections: Connections;
  readonly watch: RequestWatch;
  readonly facts: StartFacts;
  readonly outcome: OutcomeOptions;
  readonly onSettled: (() => void) | undefined;
}

async function converse(conversation: Conversation): Promise<RequestOutcome> {
  const { acquired, text, target, connections, watch, facts, outcome, onSettled } = conversation;
  const { connection, connectedMs } = acquired;
  const remoteAddress = target.socketPath ?? connection.remoteAddress ?? null;
  const arena = takeArena();
  const sent = { sentMs: 0 };
  const { exchange, fault, endMs } = await new Promise<Settled>((resolve) => {
    const exchange = new Exchange(arena, watch, (fault, endMs) => {
      watch.stop();
      free({ connection, connections, target, exchange, fault });
      resolve({ exchange, fault, endMs });
      onSettled?.();
    });
    sent.sentMs = nowMs();
    exchange.start(connection, text);
  });
  await ownTurn();
  const { reader, splitter, networkReads, firstByteMs } = exchange;
  const record = {
    head: reader.head,
    arena,
    splitter,
    fault,
    facts: {
      ...facts,
      ...sent,
      connectedMs,
      firstByteMs,
      endMs,
      networkReads,
      reusedConnection: connectedMs === null,
      remoteAddress,
    },
  };
  try {
    return buildOutcome(record, outcome);
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

function unsent(fault: Fault, facts: StartFacts, options: OutcomeOptions): RequestOutcome {
  const arena = takeArena();
  const record = {
    head: undefined,
    arena,
    splitter: new SseSplitter(),
    fault,
    facts: { ...facts, endMs: nowMs() },
  };
  const outcome = buildOutcome(record, options);
  giveBackArena(arena);
  return outcome;
}
