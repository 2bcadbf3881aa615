import { asAmount, asArray, asCount, asObject, type JsonObject } from "./json-value.ts";

/** What a server says about the tokens of one request; `null` where it does not say. */
export interface Usage {
  readonly promptTokens: number | null;
  /** All generated tokens, also those that the server counts beside `completion_tokens`. */
  readonly completionTokens: number | null;
  /** `completion_tokens` as it stands in the reply. */
  readonly reportedCompletionTokens: number | null;
  readonly reasoningTokens: number | null;
  readonly cachedPromptTokens: number | null;
  readonly acceptedPredictionTokens: number | null;
  readonly rejectedPredictionTokens: number | null;
}

/** Times that the server took itself (llama.cpp `timings`, Groq's in `usage`); `null` if unsaid. */
export interface ServerTimings {
  readonly promptTokens: number | null;
  readonly promptMs: number | null;
  readonly predictedTokens: number | null;
  readonly predictedMs: number | null;
  readonly queueMs: number | null;
  readonly cachedPromptTokens: number | null;
  readonly draftTokens: number | null;
  readonly acceptedDraftTokens: number | null;
}

/** The usage in a chunk, wherever this server puts it; `undefined` where it holds no number. */
export function usageOf(chunk: JsonObject): Usage | undefined {
  const usage = usageObject(chunk);
  if (usage === undefined) return undefined;
  const promptTokens = asCount(usage["prompt_tokens"]);
  const reported = asCount(usage["completion_tokens"]);
  if (promptTokens === null && reported === null) return undefined;
  const promptDetails = asObject(usage["prompt_tokens_details"]) ?? {};
  const details = asObject(usage["completion_tokens_details"]) ?? {};
  return {
    promptTokens,
    completionTokens: generatedTokens(promptTokens, reported, asCount(usage["total_tokens"])),
    reportedCompletionTokens: reported,
    reasoningTokens: asCount(details["reasoning_tokens"] ?? usage["reasoning_tokens"]),
    cachedPromptTokens: asCount(
      promptDetails["cached_tokens"] ?? usage["prompt_cache_hit_tokens"] ?? usage["cached_tokens"],
    ),
    acceptedPredictionTokens: asCount(details["accepted_prediction_tokens"]),
    rejectedPredictionTokens: asCount(details["rejected_prediction_tokens"]),
  };
}

/** The server's own times in a chunk, or `undefined`. */
export function serverTimingsOf(chunk: JsonObject): ServerTimings | undefined {
  const timings = asObject(chunk["timings"]);
  if (timings !== undefined) return llamaTimings(timings);
  const usage = usageObject(chunk);
  const promptS = asAmount(usage?.["prompt_time"]);
  const predictedS = asAmount(usage?.["completion_time"]);
  if (usage === undefined || (promptS === null && predictedS === null)) return undefined;
  return {
    promptTokens: asCount(usage["prompt_tokens"]),
    promptMs: toMs(promptS),
    predictedTokens: asCount(usage["completion_tokens"]),
    predictedMs: toMs(predictedS),
    queueMs: toMs(asAmount(usage["queue_time"])),
    cachedPromptTokens: null,
    draftTokens: null,
    acceptedDraftTokens: null,
  };
}

/** If the total is more than prompt and completion, the difference was generated too. */
function generatedTokens(
  prompt: number | null,
  completion: number | null,
  total: number | null,
): number | null {
  if (prompt === null || completion === null || total === null) return completion;
  return Math.max(completion, total - prompt);
}

/** Beside the usual place: Groq's early `x_groq`, and Moonshot's in the choice. */
function usageObject(chunk: JsonObject): JsonObject | undefined {
  return (
    asObject(chunk["usage"]) ??
    asObject(asObject(chunk["x_groq"])?.["usage"]) ??
    asObject(asObject(asArray(chunk["choices"])[0])?.["usage"])
  );
}

function llamaTimings(timings: JsonObject): ServerTimings {
  return {
    promptTokens: asCount(timings["prompt_n"]),
    promptMs: asAmount(timings["prompt_ms"]),
    predictedTokens: asCount(timings["predicted_n"]),
    predictedMs: asAmount(timings["predicted_ms"]),
    queueMs: null,
    cachedPromptTokens: asCount(timings["cache_n"]),
    draftTokens: asCount(timings["draft_n"]),
    acceptedDraftTokens: asCount(timings["draft_n_accepted"]),
  };
}

function toMs(timeS: number | null): number | null {
  return timeS === null ? null : timeS * 1000;
}
