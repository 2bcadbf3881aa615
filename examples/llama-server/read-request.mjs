// @ts-check
import { ApiError } from "./api-error.mjs";

/**
 * What a request asks for, checked; what it leaves open is `undefined`.
 *
 * @typedef {object} CompletionRequest
 * @property {{ messages: ChatMessage[] } | { text: string }} prompt
 * @property {number | undefined} maxTokens
 * @property {number} temperature
 * @property {number} topP
 * @property {number | undefined} seed
 * @property {string[]} stop
 * @property {boolean} ignoreEos
 * @property {boolean} isStream
 * @property {boolean} includeUsage - whether a stream ends with its usage.
 */

/** @typedef {{ role: string; content: string }} ChatMessage */

/** As in OpenAI's API, for `/v1/completions` alone. */
const DEFAULT_COMPLETION_TOKENS = 16;
const MOST_STOPS = 16;

/**
 * @param {"chat" | "text"} kind
 * @param {string} body
 * @returns {CompletionRequest} fields that it does not know are ignored
 * @throws {ApiError}
 */
export function readRequest(kind, body) {
  const fields = objectIn(parsed(body));
  if (fields === undefined) throw refused("The body must be a JSON object.");
  const n = numberIn(fields, "n", isCount) ?? 1;
  if (n !== 1) throw refused("Only one choice can be made: leave out n.", "n");
  const streamOptions = objectIn(fields["stream_options"]) ?? {};
  const maxTokens =
    numberIn(fields, "max_completion_tokens", isCount) ?? numberIn(fields, "max_tokens", isCount);
  return {
    prompt: kind === "chat" ? { messages: messagesIn(fields) } : { text: textIn(fields) },
    maxTokens: maxTokens ?? (kind === "chat" ? undefined : DEFAULT_COMPLETION_TOKENS),
    temperature: numberIn(fields, "temperature", (value) => value >= 0) ?? 1,
    topP: numberIn(fields, "top_p", (value) => value > 0 && value <= 1) ?? 1,
    seed: numberIn(fields, "seed", Number.isSafeInteger),
    stop: stopsIn(fields),
    ignoreEos: isTrue(fields, "ignore_eos"),
    isStream: isTrue(fields, "stream"),
    includeUsage: isTrue(streamOptions, "include_usage"),
  };
}

/** @param {string} body */
function parsed(body) {
  try {
    return /** @type {unknown} */ (JSON.parse(body));
  } catch (error) {
    throw refused(`The body is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}

/** @param {Record<string, unknown>} fields */
function messagesIn(fields) {
  const messages = fields["messages"];
  if (!Array.isArray(messages) || messages.length === 0) {
    throw refused("messages must be a list of at least one message.", "messages");
  }
  return messages.map((message, index) => {
    const { role, content } = /** @type {Record<string, unknown>} */ (objectIn(message) ?? {});
    const text = contentText(content);
    if (typeof role === "string" && text !== undefined) return { role, content: text };
    throw refused(`messages[${index}] must have a role and a content of text.`, "messages");
  });
}

/**
 * @param {unknown} content - text, or parts of which each is text; a message may also have none.
 * @returns {string | undefined}
 */
function contentText(content) {
  if (content === null || content === undefined) return "";
  if (!Array.isArray(content)) return typeof content === "string" ? content : undefined;
  const texts = content.map((part) => objectIn(part)?.["text"]);
  return texts.every((text) => typeof text === "string") ? texts.join("") : undefined;
}

/** @param {Record<string, unknown>} fields */
function textIn(fields) {
  const { prompt } = /** @type {{ prompt?: unknown }} */ (fields);
  const text = Array.isArray(prompt) && prompt.length === 1 ? prompt[0] : prompt;
  if (typeof text === "string" && text !== "") return text;
  throw refused("prompt must be one text that is not empty.", "prompt");
}

/** @param {Record<string, unknown>} fields */
function stopsIn(fields) {
  const { stop } = /** @type {{ stop?: unknown }} */ (fields);
  const stops = Array.isArray(stop) ? stop : [stop ?? []].flat();
  const areTexts = stops.every((text) => typeof text === "string" && text !== "");
  if (areTexts && stops.length <= MOST_STOPS) return /** @type {string[]} */ (stops);
  throw refused(`stop must be a text, or up to ${MOST_STOPS} of them, none empty.`, "stop");
}

/**
 * @param {Record<string, unknown>} fields
 * @param {string} name
 * @param {(value: number) => boolean} isGood
 */
function numberIn(fields, name, isGood) {
  const value = fields[name] ?? undefined;
  if (value === undefined || (typeof value === "number" && isGood(value))) return value;
  throw refused(`${name} cannot be ${JSON.stringify(value)}.`, name);
}

/**
 * @param {Record<string, unknown>} fields
 * @param {string} name
 */
function isTrue(fields, name) {
  const value = fields[name] ?? false;
  if (typeof value === "boolean") return value;
  throw refused(`${name} must be true or false.`, name);
}

/** @param {number} value */
function isCount(value) {
  return Number.isSafeInteger(value) && value >= 1;
}

/**
 * @param {unknown} value
 * @returns {Record<string, unknown> | undefined}
 */
function objectIn(value) {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? /** @type {Record<string, unknown>} */ (value) : undefined;
}

/**
 * @param {string} message
 * @param {string} [param]
 */
function refused(message, param) {
  return new ApiError(400, message, param === undefined ? {} : { param });
}
