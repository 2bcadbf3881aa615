import type { EngineProfile } from "../profiles/engine-profile.ts";
import { mixKeys } from "../schedule/keys.ts";
import { naturalReplyLength } from "../schedule/reply-length.ts";
import type { NewSequence } from "../schedule/sequence.ts";
import { type TokenizedPrompt, tokenizeIds, tokenizeParts } from "../schedule/tokenize.ts";
import { ApiError } from "./api-error.ts";
import type { CompletionRequest, Prompt } from "./completion-request.ts";
import type { GenerationPlan } from "./generation.ts";
import { stopPlace } from "./stop-place.ts";

/** Replies that one request may ask for, over all its prompts. */
const MOST_REPLIES = 1024;
/** Of all replies together; each is looked through for stop texts before it is begun. */
const MOST_TOKENS_WITH_STOP = 1_000_000;
/** A token is never longer, in UTF-16 units: what is longer than the context needs no counting. */
const MOST_TOKEN_UNITS = 32;

/** A reply's plan, and the same for the scheduler. */
export interface PlannedGeneration {
  readonly plan: GenerationPlan;
  readonly sequence: NewSequence;
}

/**
 * Decides how long each reply of a request gets; the same for the same seed and request number.
 *
 * @param firstId - of its sequences; the others count on from there.
 * @throws {ApiError} 400, when prompt and reply do not fit into the context.
 */
export function planGenerations(
  request: CompletionRequest,
  profile: EngineProfile,
  { seed, requestNumber, firstId }: { seed: number; requestNumber: number; firstId: number },
): PlannedGeneration[] {
  refuseTooMany(request);
  return request.prompts.flatMap((prompt, promptNumber) => {
    const { promptTokens, blockHashes, key: promptKey } = tokenized(prompt, profile);
    const room = roomFor(promptTokens, request.maxTokens, profile);
    return Array.from({ length: request.n }, (_, i) => {
      const choice = promptNumber * request.n + i;
      const places = [request.seed ?? requestNumber, promptKey, choice];
      const key = places.reduce((mixed, place) => mixKeys(mixed, place), seed);
      const id = firstId + choice;
      const naturalTokens = naturalReplyLength(profile.naturalReplyTokens, key);
      const end = replyEnd(request, key, replyLength(request, room, naturalTokens));
      return {
        plan: { id, choice, key, promptTokens, ...end },
        sequence: { id, key, promptTokens, blockHashes, replyTokens: end.replyTokens },
      };
    });
  });
}

function refuseTooMany({ prompts, n }: CompletionRequest): void {
  if (prompts.length * n <= MOST_REPLIES) return;
  const message = `${prompts.length} prompts with ${n} replies each are more than ${MOST_REPLIES} replies.`;
  throw new ApiError(400, message, { param: "n" });
}

/** An empty prompt is the begin-of-text token alone. */
function tokenized(prompt: Prompt, { contextTokens }: EngineProfile): TokenizedPrompt {
  if (prompt.kind === "texts") {
    const units = prompt.texts.reduce((sum, text) => sum + text.length, 0);
    if (units > contextTokens * MOST_TOKEN_UNITS) {
      throw tooLong(contextTokens, `more than ${contextTokens} tokens`, "messages");
    }
  }
  const counted =
    prompt.kind === "texts" ? tokenizeParts(prompt.texts) : tokenizeIds(prompt.tokens);
  return { ...counted, promptTokens: Math.max(1, counted.promptTokens) };
}

/** Tokens that the reply may have. */
function roomFor(
  promptTokens: number,
  maxTokens: number | undefined,
  { contextTokens, kvTokens }: EngineProfile,
): number {
  const limit = Math.min(contextTokens, kvTokens);
  const wanted = maxTokens ?? 1;
  if (promptTokens + wanted <= limit) return maxTokens ?? limit - promptTokens;
  const requested = `${promptTokens + wanted} tokens (${promptTokens} in the messages, ${wanted} in the completion)`;
  throw tooLong(limit, requested, maxTokens === undefined ? "messages" : "max_tokens");
}

function tooLong(limit: number, requested: string, param: string): ApiError {
  const message = `This model's maximum context length is ${limit} tokens. However, you requested ${requested}. Please reduce the length of the messages or completion.`;
  return new ApiError(400, message, { param, code: "context_length_exceeded" });
}

function replyLength(
  { ignoresEos, minTokens, fault }: CompletionRequest,
  room: number,
  naturalTokens: number,
): Pick<GenerationPlan, "replyTokens" | "finishReason"> {
  if (fault?.kind === "short" && fault.tokens < room) {
    return { replyTokens: fault.tokens, finishReason: "stop" };
  }
  const wanted = Math.max(naturalTokens, minTokens);
  return ignoresEos || wanted >= room
    ? { replyTokens: room, finishReason: "length" }
    : { replyTokens: wanted, finishReason: "stop" };
}

/** A stop text may end a reply before its length does. */
function replyEnd(
  { stop, minTokens, prompts, n }: CompletionRequest,
  key: number,
  length: Pick<GenerationPlan, "replyTokens" | "finishReason">,
): Pick<GenerationPlan, "replyTokens" | "finishReason" | "textUnits"> {
  if (stop.length > 0 && prompts.length * n * length.replyTokens > MOST_TOKENS_WITH_STOP) {
    const message = `Replies with stop texts are limited to ${MOST_TOKENS_WITH_STOP} tokens in all: ask for fewer with max_tokens.`;
    throw new ApiError(400, message, { param: "max_tokens" });
  }
  const place = stopPlace(key, stop, minTokens, length.replyTokens);
  return place === undefined
    ? { ...length, textUnits: Number.POSITIVE_INFINITY }
    : { replyTokens: place.tokens, finishReason: "stop", textUnits: place.textUnits };
}
