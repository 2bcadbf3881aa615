import type { ResponseHead } from "./http-head.ts";
import type { ReplyReading } from "./read-reply.ts";
import type { Fault, RequestErrorKind } from "./request-outcome.ts";
import { errorInBody } from "./server-error.ts";

/** What kind of body a reply turned out to be; the label on it may say otherwise. */
export type BodyForm = "events" | "json" | "nothing" | "other";

/** All that decides whether a request succeeded. */
export interface ReplyEvidence {
  readonly head: ResponseHead | undefined;
  readonly form: BodyForm;
  readonly reading: ReplyReading;
  /** The body as text, where it is no event stream. */
  readonly body: string;
  /** What ended the exchange before its time. */
  readonly fault: Fault | null;
}

/**
 * Says why a request failed, or `undefined` if it did not.
 *
 * The server's own word goes first, then what happened to the connection, then whether the reply
 * is whole: it needs something generated and a sign that it is over. Behind `[DONE]` nothing counts.
 */
export function judgeReply(evidence: ReplyEvidence): Fault | undefined {
  const { head, form, reading, body, fault } = evidence;
  if (head === undefined) return fault ?? fail("connection_reset", "closed without a response");
  if (head.status < 200 || head.status > 299) return statusFault(head, body);
  if (head.codings.length > 0) return codingFault(head);
  if (isForeign(evidence)) return fault ?? notSse(head);
  if (reading.failure !== undefined) return reading.failure;
  if (fault !== null && !reading.isDone) return fault;
  return form === "json" ? judgeBody(reading, head) : judgeStream(reading);
}

/** What to say of a body in a coding that was not asked for. */
export function codingFault(head: ResponseHead): Fault {
  const codings = head.codings.join(", ");
  return fail("unsupported_encoding", `the body is encoded (${codings}) though identity was asked`);
}

/** Tokens that are known to have been generated although no event shows them. */
function hasHiddenTokens({ usage, choices }: ReplyReading): boolean {
  return choices.some(isFinished) && (usage?.completionTokens ?? 0) > 0;
}

function judgeStream(reading: ReplyReading): Fault | undefined {
  const { isDone, choices, tokenAtMs, chunkCount } = reading;
  const isFinal = isDone || (choices.length > 0 && choices.every(isFinished));
  if (tokenAtMs.length > 0) return isFinal ? undefined : truncated();
  if (hasHiddenTokens(reading)) return undefined;
  const isEmpty = isFinal || chunkCount === 0;
  return isEmpty ? fail("empty", "the reply holds nothing generated") : truncated();
}

function judgeBody(reading: ReplyReading, head: ResponseHead): Fault | undefined {
  const { choices } = reading;
  if (choices.length === 0) return notSse(head);
  if (!choices.every(isFinished)) {
    return fail(
      "not_streamed",
      "the server ignored stream: true, and its reply in one body names no finish_reason",
    );
  }
  const isGenerated = choices.some(
    ({ text, reasoning, toolCalls }) => text !== "" || reasoning !== "" || toolCalls.length > 0,
  );
  if (isGenerated || hasHiddenTokens(reading)) return undefined;
  return fail("empty", "the reply holds nothing generated");
}

/** Text of another kind may well hold a line that looks like a field. */
function isForeign({ head, form, reading }: ReplyEvidence): boolean {
  if (form === "other") return true;
  const isLabelled = head?.headers.get("content-type")?.includes("event-stream") ?? true;
  return form === "events" && !isLabelled && reading.chunkCount === 0 && !reading.isDone;
}

function isFinished({ finishReason }: { finishReason: string | null }): boolean {
  return finishReason !== null;
}

function statusFault({ status, headers }: ResponseHead, body: string): Fault {
  const told = errorInBody(body);
  const location = headers.get("location");
  if (told !== undefined) return { errorKind: "http_status", ...told };
  const to = location === undefined ? "" : ` to ${location}; redirects are not followed`;
  return fail("http_status", `the server answered with status ${status}${to}`);
}

function notSse({ headers }: ResponseHead): Fault {
  const type = headers.get("content-type") ?? "no content-type";
  return fail("not_sse", `the body is no event stream (${type})`);
}

function truncated(): Fault {
  return fail("truncated", "the reply ended without finish_reason and without [DONE]");
}

function fail(errorKind: RequestErrorKind, message: string): Fault {
  return { errorKind, message };
}
