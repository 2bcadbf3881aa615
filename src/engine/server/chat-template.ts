import { ApiError } from "./api-error.ts";
import type { Prompt } from "./completion-request.ts";
import { isObject, shown } from "./request-fields.ts";

const ROLES = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

/**
 * The prompt of a chat: each message between marks, and the mark behind which the reply begins.
 *
 * @throws {ApiError} 400
 */
export function promptOfMessages(messages: unknown): Prompt {
  if (!Array.isArray(messages) || messages.length === 0) {
    throw invalid("messages", messages, "a list with at least one message");
  }
  const texts = messages.flatMap((message: unknown, i) => {
    const at = `messages[${i}]`;
    if (!isObject(message)) throw invalid(at, message, "an object");
    const { role, content } = message;
    if (typeof role !== "string" || !ROLES.has(role)) {
      throw invalid(`${at}.role`, role, [...ROLES].join(", "));
    }
    return [`<|${role}|>\n`, ...contentTexts(content, `${at}.content`), "<|end|>\n"];
  });
  return { kind: "texts", texts: [...texts, "<|assistant|>\n"] };
}

function contentTexts(content: unknown, at: string): readonly string[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) throw invalid(at, content, "a string or a list of parts");
  return content.map((part: unknown, i) => {
    if (isObject(part) && typeof part["text"] === "string") return part["text"];
    throw invalid(`${at}[${i}]`, part, "a part with text: nothing else is simulated");
  });
}

function invalid(param: string, value: unknown, wanted: string): ApiError {
  return new ApiError(400, `Invalid value for '${param}': ${shown(value)} is not ${wanted}.`, {
    param,
  });
}
