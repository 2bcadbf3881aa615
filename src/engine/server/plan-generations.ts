import type { EngineProfile } from "../profiles/engine-profile.ts";
import { mixKeys } from "../schedule/keys.ts";
import { naturalReplyLength } from "../schedule/reply-length.ts";
import type { NewSequence } from "../schedule/sequence.ts";
import { type TokenizedPrompt, tokenizeIds, tokenizeParts } from "../schedule/tokenize.ts";
import { ApiError } from "./api-error.ts";
import type { CompletionRequest, Prompt } from "./completion-request.ts";
import type { GenerationPlan } from "./generation.ts";
import { replyEnd } from "./reply-end.ts";

/** Replies that one request may ask for, over all its prompts. */
const MOST_REPLIES = 1024;
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
      const end = replyEnd(request, key, room, naturalTokens);
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
