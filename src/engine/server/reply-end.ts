import { ApiError } from "./api-error.ts";
import type { CompletionRequest } from "./completion-request.ts";
import type { GenerationPlan } from "./generation.ts";
import { stopPlace } from "./stop-place.ts";

/** Of all replies together; each is looked through for stop texts before it is begun. */
const MOST_TOKENS_WITH_STOP = 1_000_000;

type Length = Pick<GenerationPlan, "replyTokens" | "finishReason">;

/**
 * Where a reply ends, and why: by itself, by a fault, by a stop text, or because it has no more
 * room.
 *
 * @param room - tokens that it may have.
 * @param naturalTokens - at which it ends by itself.
 * @throws {ApiError} 400, for more tokens than can be looked through for stop texts.
 */
export function replyEnd(
  request: CompletionRequest,
  key: number,
  room: number,
  naturalTokens: number,
): Length & Pick<GenerationPlan, "textUnits"> {
  const { stop, minTokens, prompts, n } = request;
  const length = lengthOf(request, room, naturalTokens);
  if (stop.length > 0 && prompts.length * n * length.replyTokens > MOST_TOKENS_WITH_STOP) {
    const message = `Replies with stop texts are limited to ${MOST_TOKENS_WITH_STOP} tokens in all: ask for fewer with max_tokens.`;
    throw new ApiError(400, message, { param: "max_tokens" });
  }
  const place = stopPlace(key, stop, minTokens, length.replyTokens);
  return place === undefined
    ? { ...length, textUnits: Number.POSITIVE_INFINITY }
    : { replyTokens: place.tokens, finishReason: "stop", textUnits: place.textUnits };
}

function lengthOf(
  { ignoresEos, minTokens, fault }: CompletionRequest,
  room: number,
  naturalTokens: number,
): Length {
  if (fault?.kind === "short" && fault.tokens < room) {
    return { replyTokens: fault.tokens, finishReason: "stop" };
  }
  const wanted = Math.max(naturalTokens, minTokens);
  return ignoresEos || wanted >= room
    ? { replyTokens: room, finishReason: "length" }
    : { replyTokens: wanted, finishReason: "stop" };
}
