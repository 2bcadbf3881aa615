// @ts-check
import { ApiError } from "./api-error.mjs";
import { Reply } from "./reply.mjs";
import { senderFor } from "./sender.mjs";
import { StopText } from "./stop-text.mjs";

/** @typedef {import("node:http").ServerResponse} ServerResponse */
/** @typedef {import("./engine.mjs").Engine} Engine */
/** @typedef {import("./read-request.mjs").CompletionRequest} CompletionRequest */

/**
 * Generates the reply to a request, and sends it.
 *
 * @param {Engine} engine
 * @param {"chat" | "text"} kind
 * @param {CompletionRequest} request
 * @param {ServerResponse} response - when its client goes away, the generation ends.
 * @throws {ApiError} when the request is too long for the context
 */
export async function answer(engine, kind, request, response) {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const prompt = promptOf(engine, request);
  const maxTokens = roomFor(await engine.countTokens(prompt), engine.contextTokens, request);
  const sender = senderFor(response, new Reply(kind, engine.modelName), request);
  const stopText = new StopText(request.stop);
  let received = 0;
  /** @type {(text: string) => void} */
  const onText = (text) => {
    received += text.length;
    sender.text(stopText.push(text));
  };
  try {
    const result = await engine.generate({ ...request, prompt, maxTokens }, onText, gone.signal);
    // Bytes that never became a character come at the end, as a mark of their own.
    onText(result.text.slice(received));
    sender.text(stopText.end());
    const isAtLimit = result.timings.predicted_n >= maxTokens && !stopText.isStopped;
    sender.end(isAtLimit ? "length" : "stop", result.timings);
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  }
}

/**
 * @param {Engine} engine
 * @param {CompletionRequest} request
 */
function promptOf(engine, { prompt }) {
  if ("text" in prompt) return prompt.text;
  try {
    return engine.promptOf(prompt.messages);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ApiError(400, `The model's chat template refuses: ${why}`, { param: "messages" });
  }
}

/**
 * @param {number} promptTokens
 * @param {number} contextTokens
 * @param {CompletionRequest} request
 * @returns {number} how many tokens may be generated
 */
function roomFor(promptTokens, contextTokens, { maxTokens }) {
  const room = contextTokens - promptTokens;
  if (room >= (maxTokens ?? 1)) return maxTokens ?? room;
  const wanted = `${promptTokens} in the prompt, ${maxTokens ?? "at least 1"} in the completion`;
  throw new ApiError(
    400,
    `This server's context has ${contextTokens} tokens, and the request needs more: ${wanted}.`,
    { code: "context_length_exceeded" },
  );
}
