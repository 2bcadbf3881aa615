import type { Message, PromptBody } from "./workload.ts";

/** One usable entry of a data set. */
export interface DatasetEntry {
  readonly body: PromptBody;
  readonly outputTokens?: number;
}

/** Why an entry cannot be used, in words that say what it should have been. */
export interface BadEntry {
  readonly why: string;
}

/**
 * One line of JSONL, or one element of a ShareGPT-like array: an object with `prompt`, `messages` or
 * `conversations`, and `output_tokens` where it is known.
 *
 * Of `conversations` what comes before the first reply is taken: the opening of a chat.
 */
export function parseEntry(text: string): DatasetEntry | BadEntry {
  let entry: unknown;
  try {
    entry = JSON.parse(text);
  } catch (error) {
    return { why: `it is not JSON (${(error as Error).message})` };
  }
  if (!isObject(entry)) return { why: "it is not an object" };

  const outputTokens = entry["output_tokens"] ?? undefined;
  if (outputTokens !== undefined && !isCount(outputTokens)) {
    return { why: "its output_tokens is not a whole number from 1 on" };
  }
  const body = bodyOf(entry);
  if ("why" in body) return body;
  return outputTokens === undefined ? { body } : { body, outputTokens };
}

function bodyOf(entry: Readonly<Record<string, unknown>>): PromptBody | BadEntry {
  const { prompt, messages, conversations } = entry;
  const given = [prompt, messages, conversations].filter((value) => value !== undefined);
  if (given.length === 0) return { why: "it has no prompt, messages or conversations" };
  if (given.length > 1) {
    return { why: "it has more than one of prompt, messages and conversations" };
  }
  if (prompt !== undefined) {
    if (typeof prompt === "string" && prompt !== "") return { prompt };
    return { why: "its prompt is not a text, or an empty one" };
  }
  if (messages !== undefined) {
    if (Array.isArray(messages) && messages.length > 0 && messages.every(isMessage)) {
      return { messages };
    }
    return { why: "its messages are not a list of objects with role and content" };
  }
  return opening(conversations);
}

const ROLES: ReadonlyMap<unknown, string> = new Map([
  ["human", "user"],
  ["user", "user"],
  ["system", "system"],
]);

function opening(conversations: unknown): PromptBody | BadEntry {
  if (!Array.isArray(conversations)) return { why: "its conversations are not a list" };
  const messages: Message[] = [];
  for (const turn of conversations) {
    if (!isObject(turn) || typeof turn["value"] !== "string") {
      return { why: "a turn of its conversations has no from and value" };
    }
    const role = ROLES.get(turn["from"]);
    if (role === undefined) break;
    messages.push({ role, content: turn["value"] });
  }
  const hasQuestion = messages.some(({ role, content }) => role === "user" && content !== "");
  return hasQuestion ? { messages } : { why: "its conversation does not begin with a human turn" };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function isMessage(value: unknown): value is Message {
  if (!isObject(value) || typeof value["role"] !== "string") return false;
  const { content } = value;
  return typeof content === "string" || Array.isArray(content) || content === null;
}
