import type { ErrorOutcome, OkOutcome, RequestFacts } from "../../../src/stream/request-outcome.ts";

const FACTS: RequestFacts = {
  httpStatus: 200,
  streamed: true,
  model: "m",
  completionTokens: 3,
  reportedCompletionTokens: 3,
  tokenSource: "usage",
  estimatedTokens: null,
  promptTokens: 100,
  reasoningTokens: null,
  cachedPromptTokens: null,
  acceptedPredictionTokens: null,
  rejectedPredictionTokens: null,
  serverTimings: null,
  text: "SECRET TEXT",
  reasoning: null,
  finishReason: "length",
  toolCalls: [],
  choices: [],
  networkReads: 3,
  tokenEventCount: 3,
  tokenAtMs: Float64Array.of(110, 120, 130),
  tokensByEvent: null,
  sharedReadEventCount: 0,
  dueMs: null,
  startedMs: 99,
  connectedMs: null,
  sentMs: 100,
  firstByteMs: 109,
  firstTokenMs: 110,
  firstContentMs: 110,
  lastTokenMs: 130,
  endMs: 131,
  reusedConnection: true,
  remoteAddress: "127.0.0.1",
  flags: [],
};

/** A reply of three tokens. */
export function okOutcome(more: Partial<OkOutcome> = {}): OkOutcome {
  return {
    ...FACTS,
    state: "ok",
    errorKind: null,
    sentMs: 100,
    tpotMs: 10,
    tpotExcludingFirstEventMs: null,
    ...more,
  };
}

/** A request that was turned away. */
export function errorOutcome(more: Partial<ErrorOutcome> = {}): ErrorOutcome {
  return {
    ...FACTS,
    httpStatus: 503,
    completionTokens: null,
    tokenSource: "absent",
    tokenEventCount: 0,
    tokenAtMs: new Float64Array(0),
    firstTokenMs: null,
    firstContentMs: null,
    lastTokenMs: null,
    state: "error",
    errorKind: "http_status",
    errorMessage: "busy",
    errorCode: null,
    timeoutKind: null,
    errorBody: "busy",
    rawEvent: null,
    retryAfterS: null,
    tpotMs: null,
    tpotExcludingFirstEventMs: null,
    ...more,
  };
}
