import type { EngineProfile } from "../profiles/engine-profile.ts";
import { mixKeys } from "../schedule/keys.ts";
import { naturalReplyLength } from "../schedule/reply-length.ts";
import type { NewSequence } from "../schedule/sequence.ts";
import { type TokenizedPrompt, tokenizeIds, tokenizeParts } from "../schedule/tokenize.ts";
import { ApiError } from "./api-error.ts";
import type { CompletionRequest, Prompt } from "./completion-request.ts";
import type { GenerationPlan } from "./generation.ts";

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
  return request.prompts.flatMap((prompt, promptNumber) => {
    const { promptTokens, blockHashes, key: promptKey } = tokenized(prompt);
    const room = roomFor(promptTokens, request.maxTokens, profile);
    return Array.from({ length: request.n }, (_, i) => {
      const choice = promptNumber * request.n + i;
      const places = [request.seed ?? requestNumber, promptKey, choice];
      const key = places.reduce((mixed, place) => mixKeys(mixed, place), seed);
      const id = firstId + choice;
      const length = replyLength(
        request,
        room,
        naturalReplyLength(profile.naturalReplyTokens, key),
      );
      const plan = { id, choice, key, promptTokens, ...length };
      const { stop, minTokens } = request;
      return {
        plan: { ...plan, stop, minTokens },
        sequence: { id, key, promptTokens, blockHashes, replyTokens: length.replyTokens },
      };
    });
  });
}

function tokenized(prompt: Prompt): TokenizedPrompt {
  return prompt.kind === "texts" ? tokenizeParts(prompt.texts) : tokenizeIds(prompt.tokens);
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
  throw new ApiError(
    400,
    `This model's maximum context length is ${limit} tokens. However, you requested ${promptTokens + wanted} tokens (${promptTokens} in the messages, ${wanted} in the completion). Please reduce the length of the messages or completion.`,
    { param: maxTokens === undefined ? "messages" : "max_tokens", code: "context_length_exceeded" },
  );
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
