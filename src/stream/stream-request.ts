import { nowMs } from "../clock.ts";
import type { RequestTarget } from "../target/request-target.ts";
import { giveBackArena, takeArena } from "./arena.ts";
import { buildOutcome } from "./build-outcome.ts";
import { type Connections, defaultConnections } from "./connections.ts";
import { converse } from "./converse.ts";
import type { OutcomeOptions } from "./exchange-record.ts";
import { asObject } from "./json-value.ts";
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
   * the next request, which then waits for no parsing. Not called where nothing was sent, nor while
   * hundreds of replies wait to be parsed: more of them would only take memory.
   */
  readonly onSettled?: () => void;
  /** Connections to use and keep; default those of this thread. */
  readonly connections?: Connections;
}

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
  const dueMs = options.dueMs ?? null;
  const unsent = (fault: Fault): RequestOutcome => unsentOutcome(fault, dueMs, startedMs, outcome);
  const text = asObject(body)
    ? requestText(target, completeBody(body, options.includeUsage ?? true))
    : new Error("the body of a request must be an object");
  watch.start();
  try {
    if (watch.fault !== undefined) return unsent(watch.fault);
    if (typeof text !== "string") {
      return unsent({ errorKind: "client_error", message: text.message });
    }
    const acquired = connections.reuse(target) ?? (await connections.acquire(target, watch));
    if (!("connection" in acquired)) return unsent(acquired);
    const { onSettled } = options;
    return await converse({
      acquired,
      text,
      target,
      connections,
      watch,
      dueMs,
      startedMs,
      outcome,
      onSettled,
    });
  } finally {
    watch.stop();
  }
}

function unsentOutcome(
  fault: Fault,
  dueMs: number | null,
  startedMs: number,
  options: OutcomeOptions,
): RequestOutcome {
  const arena = takeArena();
  const facts = {
    dueMs,
    startedMs,
    connectedMs: null,
    sentMs: null,
    firstByteMs: null,
    endMs: nowMs(),
    networkReads: 0,
    reusedConnection: false,
    remoteAddress: null,
  };
  const record = { head: undefined, arena, splitter: new SseSplitter(), fault, facts };
  const outcome = buildOutcome(record, options);
  giveBackArena(arena);
  return outcome;
}
