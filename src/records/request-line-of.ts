import type { Ended } from "../load/messages.ts";
import type { RequestOutcome } from "../stream/request-outcome.ts";
import type { RequestLine } from "./request-line.ts";

/** How much of an error's text is kept, in characters. */
const LONGEST_MESSAGE = 1000;

/** A request as it is kept: times to the µs, what is not known left out. */
export function requestLine(
  { index, outcome, sendLagMs }: Ended,
  at: Pick<RequestLine, "cell" | "segment" | "phase">,
): RequestLine {
  const { tokenAtMs, tokensByEvent, flags } = outcome;
  const line = {
    ...at,
    index,
    state: outcome.state,
    ...failureOf(outcome),
    httpStatus: outcome.httpStatus,
    dueMs: toMicros(outcome.dueMs),
    startedMs: toMicros(outcome.startedMs),
    connectedMs: toMicros(outcome.connectedMs),
    sentMs: toMicros(outcome.sentMs),
    firstByteMs: toMicros(outcome.firstByteMs),
    firstTokenMs: toMicros(outcome.firstTokenMs),
    firstContentMs: toMicros(outcome.firstContentMs),
    lastTokenMs: toMicros(outcome.lastTokenMs),
    endMs: toMicros(outcome.endMs),
    sendLagMs: toMicros(sendLagMs),
    promptTokens: outcome.promptTokens,
    cachedPromptTokens: outcome.cachedPromptTokens,
    completionTokens: outcome.completionTokens,
    tokenSource: outcome.tokenSource,
    reasoningTokens: outcome.reasoningTokens,
    acceptedPredictionTokens: outcome.acceptedPredictionTokens,
    rejectedPredictionTokens: outcome.rejectedPredictionTokens,
    serverTimings: outcome.serverTimings && withoutNull(outcome.serverTimings),
    finishReason: outcome.finishReason,
    model: outcome.model,
    tokenEvents: outcome.tokenEventCount,
    sharedReadEvents: outcome.sharedReadEventCount,
    gapsUs: tokenAtMs.length > 1 ? gapsUs(tokenAtMs) : null,
    tokensByEvent: tokensByEvent && Array.from(tokensByEvent),
    flags: flags.length > 0 ? flags : null,
  };
  return withoutNull(line) as RequestLine;
}

/** When each token event of a kept request arrived, in ms; empty where none did. */
export function tokenAtMs({ firstTokenMs, gapsUs: gaps = [] }: RequestLine): Float64Array {
  if (firstTokenMs === undefined) return new Float64Array(0);
  const times = new Float64Array(gaps.length + 1);
  let atUs = Math.round(firstTokenMs * 1000);
  times[0] = atUs / 1000;
  for (let i = 0; i < gaps.length; i++) {
    atUs += gaps[i]!;
    times[i + 1] = atUs / 1000;
  }
  return times;
}

function failureOf(outcome: RequestOutcome): Pick<RequestLine, "errorKind" | "message"> {
  if (outcome.state === "ok") return {};
  const { errorKind, errorMessage } = outcome;
  return { errorKind, message: errorMessage.slice(0, LONGEST_MESSAGE) };
}

/** Differences of rounded times, so that they add up to rounded times again. */
function gapsUs(atMs: Float64Array): number[] {
  const gaps: number[] = [];
  let beforeUs = Math.round(atMs[0]! * 1000);
  for (let i = 1; i < atMs.length; i++) {
    const atUs = Math.round(atMs[i]! * 1000);
    gaps.push(atUs - beforeUs);
    beforeUs = atUs;
  }
  return gaps;
}

function toMicros(timeMs: number | null): number | null {
  return timeMs === null ? null : Math.round(timeMs * 1000) / 1000;
}

/** Unknown has no key: a `null` would be one more thing to look for in every line. */
function withoutNull(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}
