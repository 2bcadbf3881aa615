import { eventGapsMs, tokenGapsMs } from "../../../src/stats/inter-token.ts";
import type { RequestOutcome } from "../../../src/stream/request-outcome.ts";

/** The outcome under the names of the expected.json files; points in time on the run's clock. */
export function judgedFields(outcome: RequestOutcome): Record<string, unknown> {
  const isError = outcome.state === "error";
  const { tokenAtMs, tokensByEvent, completionTokens, tokenEventCount } = outcome;
  return {
    http_status: outcome.httpStatus,
    outcome: outcome.state,
    error_kind: outcome.errorKind,
    completion_tokens: completionTokens,
    completion_tokens_source: outcome.tokenSource,
    reported_completion_tokens: outcome.reportedCompletionTokens,
    reasoning_tokens: outcome.reasoningTokens,
    estimated_tokens: outcome.estimatedTokens,
    prompt_tokens: outcome.promptTokens,
    finish_reason: outcome.finishReason,
    finish_reasons: outcome.choices.map((choice) => choice.finishReason),
    text: outcome.text,
    texts: outcome.choices.map((choice) => choice.text),
    reasoning_text: outcome.reasoning,
    tool_calls: outcome.toolCalls,
    token_event_count: tokenEventCount,
    tokens_per_event: completionTokens === null ? null : completionTokens / tokenEventCount,
    streamed: outcome.streamed,
    first_token_at_ms: outcome.firstTokenMs,
    first_content_at_ms: outcome.firstContentMs,
    last_token_at_ms: outcome.lastTokenMs,
    tpot_ms: outcome.tpotMs,
    tpot_excluding_first_event_ms: outcome.tpotExcludingFirstEventMs,
    event_gap_ms: eventGapsMs(tokenAtMs),
    itl_ms_per_token:
      tokensByEvent === null
        ? null
        : tokenGapsMs(tokenAtMs, tokensByEvent)?.flatMap(({ gapMs, times }) =>
            Array(times).fill(gapMs),
          ),
    counted_in_success_metrics: outcome.state === "ok",
    error_code: isError ? outcome.errorCode : null,
    error_message: isError ? outcome.errorMessage : null,
    raw_event: isError ? outcome.rawEvent : null,
    retry_after_s: isError ? outcome.retryAfterS : null,
  };
}
