import { tpotMs } from "../stats/time-per-output-token.ts";
import type { ExchangeRecord, OutcomeOptions } from "./exchange-record.ts";
import type { ResponseHead } from "./http-head.ts";
import { judgeReply } from "./judge-reply.ts";
import { factsOf } from "./outcome-facts.ts";
import { type BodyReading, readBody } from "./read-body.ts";
import type { ErrorOutcome, Fault, RequestFacts, RequestOutcome } from "./request-outcome.ts";
import { retryAfterS } from "./retry-after.ts";

const BODY_EXCERPT_CHARS = 1024;

/**
 * Counts and judges what a request left behind. Nothing in it refers to the arena.
 *
 * @param read - what the body says, where it has been read already.
 */
export function buildOutcome(
  record: ExchangeRecord,
  options: OutcomeOptions,
  read: BodyReading = readBody(record),
): RequestOutcome {
  const { head, fault } = record;
  const { form, reading, body } = read;
  const failure = judgeReply({ head, form, reading, body, fault });
  // Of a failed request the partial text is kept whatever was asked.
  const keepText = options.keepText || failure !== undefined;
  const facts = factsOf(record, form, reading, keepText, options.redact);
  const { sentMs } = facts;
  if (failure === undefined && sentMs !== null) {
    const { tokenAtMs, completionTokens: n } = facts;
    const first = facts.tokensByEvent?.[0];
    const excludingFirst = first === undefined || first < 1 ? null : tpotMs(tokenAtMs, n, first);
    return Object.assign(facts, {
      state: "ok",
      errorKind: null,
      sentMs,
      tpotMs: tpotMs(tokenAtMs, n),
      tpotExcludingFirstEventMs: excludingFirst,
    } as const);
  }
  const why = failure ?? { errorKind: "client_error", message: "nothing was sent" };
  return Object.assign(facts, errorFields(why, head, body, options.redact));
}

type ErrorFields = Omit<ErrorOutcome, keyof RequestFacts>;

function errorFields(
  why: Fault,
  head: ResponseHead | undefined,
  body: string,
  redact: (text: string) => string,
): ErrorFields {
  const { errorKind, message, code, timeoutKind, rawEvent } = why;
  return {
    state: "error",
    errorKind,
    errorMessage: excerpt(message, redact),
    errorCode: typeof code === "string" ? redact(code) : (code ?? null),
    timeoutKind: timeoutKind ?? null,
    errorBody: body === "" ? null : excerpt(body, redact),
    rawEvent: rawEvent === undefined ? null : excerpt(rawEvent, redact),
    retryAfterS: head === undefined ? null : retryAfterS(head.headers),
    tpotMs: null,
    tpotExcludingFirstEventMs: null,
  };
}

/** Secrets go before the cut: half a key at the edge would no longer be known as one. */
function excerpt(text: string, redact: (text: string) => string): string {
  return redact(text).slice(0, BODY_EXCERPT_CHARS);
}
