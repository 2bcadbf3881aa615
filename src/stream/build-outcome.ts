import type { Arena } from "./arena.ts";
import type { ResponseHead } from "./http-head.ts";
import { asObject, parseJson } from "./json-value.ts";
import { type BodyForm, judgeReply } from "./judge-reply.ts";
import { type ChoiceReading, ReplyReading } from "./read-reply.ts";
import type {
  ChoiceOutcome,
  ErrorOutcome,
  Fault,
  OutcomeFlag,
  RequestFacts,
  RequestOutcome,
} from "./request-outcome.ts";
import { retryAfterS } from "./retry-after.ts";
import type { SseSplitter } from "./sse.ts";
import { sharedReadEvents, tokensByEvent, tpotMs } from "./token-intervals.ts";

/** Times and facts of the exchange, which the reply itself does not tell. */
export type ExchangeFacts = Pick<
  RequestFacts,
  | "dueMs"
  | "startedMs"
  | "connectedMs"
  | "sentMs"
  | "firstByteMs"
  | "endMs"
  | "networkReads"
  | "reusedConnection"
  | "remoteAddress"
>;

/** All that one request left behind. */
export interface ExchangeRecord {
  readonly head: ResponseHead | undefined;
  readonly arena: Arena;
  readonly splitter: SseSplitter;
  readonly fault: Fault | null;
  readonly facts: ExchangeFacts;
}

export interface OutcomeOptions {
  readonly keepText: boolean;
  readonly redact: (text: string) => string;
}

const BODY_EXCERPT_CHARS = 1024;

/** Reads, counts and judges what a request left behind. Nothing in it refers to the arena. */
export function buildOutcome(record: ExchangeRecord, options: OutcomeOptions): RequestOutcome {
  const { head, fault } = record;
  const isReadable = head !== undefined && head.status >= 200 && head.codings.length === 0;
  const { form, reading, body } = isReadable ? readBody(record) : UNREAD();
  const failure = judgeReply({ head, form, reading, body, fault });
  // Of a failed request the partial text is kept whatever was asked.
  const keepText = options.keepText || failure !== undefined;
  const facts = factsOf(record, form, reading, { ...options, keepText });
  const { sentMs } = facts;
  if (failure === undefined && sentMs !== null) {
    const { tokenAtMs, completionTokens: n } = facts;
    const first = facts.tokensByEvent?.[0];
    const excludingFirst = first === undefined || first < 1 ? null : tpotMs(tokenAtMs, n, first);
    return {
      ...facts,
      state: "ok",
      errorKind: null,
      sentMs,
      tpotMs: tpotMs(tokenAtMs, n),
      tpotExcludingFirstEventMs: excludingFirst,
    };
  }
  const why = failure ?? { errorKind: "client_error", message: "nothing was sent" };
  return { ...facts, ...errorFields(why, head, body, options.redact) };
}

interface BodyReading {
  readonly form: BodyForm;
  readonly reading: ReplyReading;
  readonly body: string;
}

const STREAMED = { events: true, json: false, nothing: null, other: null } as const;

const UNREAD = (): BodyReading => ({ form: "nothing", reading: new ReplyReading(), body: "" });

function readBody({ head, arena, splitter, fault }: ExchangeRecord): BodyReading {
  const reading = new ReplyReading();
  if (head !== undefined && head.status > 299) {
    return { form: "other", reading, body: textOf(arena) };
  }
  // What was pending when the stream broke is half an event; only a clean end may lack its blank line.
  if (fault === null) splitter.finish(arena.bytes, arena.length);
  else splitter.scan(arena.bytes, arena.length);
  reading.takeEvents(splitter.events, arena);
  if (reading.eventCount > 0) return { form: "events", reading, body: "" };
  const body = textOf(arena);
  const whole = asObject(parseJson(body));
  if (whole !== undefined) {
    reading.takeBody(whole);
    return { form: "json", reading, body };
  }
  // Comments and fields without data are what a stream says that has nothing to say.
  const isSilent = /^(?:(?::|event:|id:|retry:).*|\s*)$/;
  const isNothing = body.split(/\r\n|\r|\n/).every((line) => isSilent.test(line));
  return { form: isNothing ? "nothing" : "other", reading, body };
}

function factsOf(
  { head, facts }: ExchangeRecord,
  form: BodyForm,
  reading: ReplyReading,
  { keepText, redact }: OutcomeOptions,
): RequestFacts {
  const { usage, tokenAtMs, doneMs } = reading;
  const tokens = usage?.completionTokens ?? null;
  // A usage of 0 beside token events was never filled in.
  const isKnown = tokens !== null && (tokens > 0 || tokenAtMs.length === 0);
  const choices = reading.choices.map((choice) => choiceOutcome(choice, keepText, redact));
  const [first] = choices;
  const text = keepText ? "" : null;
  return {
    ...facts,
    endMs: doneMs ?? facts.endMs,
    httpStatus: head?.status ?? null,
    streamed: STREAMED[form],
    model: reading.model === null ? null : redact(reading.model),
    completionTokens: isKnown ? tokens : null,
    reportedCompletionTokens: isKnown ? (usage?.reportedCompletionTokens ?? null) : null,
    tokenSource: isKnown ? "usage" : "absent",
    estimatedTokens: isKnown || tokenAtMs.length === 0 ? null : tokenAtMs.length,
    promptTokens: reading.promptTokens,
    reasoningTokens: usage?.reasoningTokens ?? null,
    cachedPromptTokens:
      usage?.cachedPromptTokens ?? reading.serverTimings?.cachedPromptTokens ?? null,
    acceptedPredictionTokens:
      usage?.acceptedPredictionTokens ?? reading.serverTimings?.acceptedDraftTokens ?? null,
    rejectedPredictionTokens: usage?.rejectedPredictionTokens ?? null,
    serverTimings: reading.serverTimings,
    text: first?.text ?? text,
    reasoning: first?.reasoning ?? text,
    finishReason: first?.finishReason ?? null,
    toolCalls: first?.toolCalls ?? [],
    choices,
    tokenEventCount: tokenAtMs.length,
    tokenAtMs: Float64Array.from(tokenAtMs),
    tokensByEvent: tokensByEvent(reading.runningTokens, isKnown ? tokens : null),
    sharedReadEventCount: sharedReadEvents(reading.tokenReads),
    firstTokenMs: tokenAtMs[0] ?? null,
    firstContentMs: reading.firstContentMs,
    lastTokenMs: tokenAtMs.at(-1) ?? null,
    flags: flagsOf(form, reading),
  };
}

function choiceOutcome(
  choice: ChoiceReading,
  keepText: boolean,
  redact: (text: string) => string,
): ChoiceOutcome {
  const { index, text, reasoning, finishReason, toolCalls } = choice;
  return {
    index,
    text: keepText ? redact(text) : null,
    reasoning: keepText ? redact(reasoning) : null,
    finishReason: finishReason === null ? null : redact(finishReason),
    toolCalls: keepText
      ? toolCalls
          .filter((call) => call !== undefined)
          .map(({ name, arguments: args }) => ({ name: redact(name), arguments: redact(args) }))
      : [],
  };
}

function flagsOf(form: BodyForm, reading: ReplyReading): OutcomeFlag[] {
  const { usage, tokenAtMs, choices } = reading;
  const flags: OutcomeFlag[] = [];
  if (tokenAtMs.length === 1) flags.push("single_event");
  if (form === "json") flags.push("not_streamed");
  if (form === "events" && tokenAtMs.length === 0 && choices.some((c) => c.finishReason !== null)) {
    flags.push("empty_reply");
  }
  if (sharedReadEvents(reading.tokenReads) > 0) flags.push("shared_reads");
  if ((usage?.completionTokens ?? 0) > (usage?.reportedCompletionTokens ?? 0)) {
    flags.push("tokens_beyond_completion");
  }
  return flags;
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

function textOf(arena: Arena): string {
  return arena.bytes.toString("utf8", 0, arena.length);
}
