import type { RequestLine } from "./request-line.ts";
import {
  both,
  clockMs,
  fields,
  listOf,
  notNegative,
  oneOf,
  type Shape,
  text,
  whole,
} from "./shape.ts";

const timings = fields(
  {},
  {
    promptTokens: whole,
    promptMs: notNegative,
    predictedTokens: whole,
    predictedMs: notNegative,
  },
);

const line = fields(
  {
    cell: whole,
    segment: whole,
    phase: oneOf("warm-up", "window"),
    index: whole,
    state: oneOf("ok", "error"),
    startedMs: clockMs,
    endMs: clockMs,
  },
  {
    errorKind: text,
    message: text,
    sentMs: clockMs,
    firstTokenMs: clockMs,
    lastTokenMs: clockMs,
    promptTokens: whole,
    cachedPromptTokens: whole,
    completionTokens: whole,
    acceptedPredictionTokens: whole,
    serverTimings: timings,
    gapsUs: listOf(whole),
    tokensByEvent: listOf(whole),
    flags: listOf(text),
  },
);

/** A line of `requests.jsonl`, as far as figures are made of it. */
export const requestShape: Shape = both(line, timesInOrder);

function timesInOrder(value: unknown): string | undefined {
  const { startedMs, sentMs = startedMs, firstTokenMs, lastTokenMs, endMs } = value as RequestLine;
  if (endMs < startedMs || endMs < sentMs) return ".endMs";
  if (firstTokenMs !== undefined && lastTokenMs !== undefined && lastTokenMs < firstTokenMs)
    return ".lastTokenMs";
  return undefined;
}
