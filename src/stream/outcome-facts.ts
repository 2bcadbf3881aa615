import type { ExchangeRecord } from "./exchange-record.ts";
import type { BodyForm } from "./judge-reply.ts";
import type { ChoiceReading, ReplyReading } from "./read-reply.ts";
import type { ChoiceOutcome, OutcomeFlag, RequestFacts } from "./request-outcome.ts";
import { sharedReadEvents, tokensByEvent } from "./token-steps.ts";

const STREAMED = { events: true, json: false, nothing: null, other: null } as const;

/** The counts and times of a reply, under the names that everybody uses. */
export function factsOf(
  { head, facts }: ExchangeRecord,
  form: BodyForm,
  reading: ReplyReading,
  keepText: boolean,
  redact: (text: string) => string,
): RequestFacts {
  const { usage, tokenAtMs, doneMs } = reading;
  const tokens = usage?.completionTokens ?? null;
  // A usage of 0 beside token events was never filled in.
  const isKnown = tokens !== null && (tokens > 0 || tokenAtMs.length === 0);
  const choices = reading.choices.map((choice) => choiceOutcome(choice, keepText, redact));
  const [first] = choices;
  const text = keepText ? "" : null;
  // Field by field: of an object this large, a spread costs ten times as much.
  return {
    dueMs: facts.dueMs,
    startedMs: facts.startedMs,
    connectedMs: facts.connectedMs,
    sentMs: facts.sentMs,
    firstByteMs: facts.firstByteMs,
    endMs: doneMs ?? facts.endMs,
    networkReads: facts.networkReads,
    reusedConnection: facts.reusedConnection,
    remoteAddress: facts.remoteAddress,
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
