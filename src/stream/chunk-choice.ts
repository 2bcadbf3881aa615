import { asArray, asObject, asText, type JsonObject } from "./json-value.ts";

/** A piece of a call that the model makes of a tool. */
export interface ToolCallPiece {
  readonly index: number;
  readonly name: string;
  readonly arguments: string;
}

/** What one chunk adds to one choice. */
export interface ChoicePiece {
  readonly index: number;
  /** What the user reads: content, text of `/completions`, refusal. */
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCallPiece[];
  /** `null` while the choice goes on; an empty string is no reason. */
  readonly finishReason: string | null;
  /** Whether something was generated: white space counts, the role does not. */
  readonly isToken: boolean;
}

/** Reads one entry of `choices`, streamed (`delta`, `text`) or not (`message`). */
export function choicePiece(value: unknown, position: number): ChoicePiece | undefined {
  const choice = asObject(value);
  if (choice === undefined) return undefined;
  // Where both are sent, `message` repeats all that came before.
  const delta = asObject(choice["delta"]) ?? asObject(choice["message"]) ?? {};
  const content = contentOf(delta["content"]);
  const text = content.text + asText(delta["refusal"]) + asText(choice["text"]);
  const reasoning = content.reasoning + reasoningOf(delta);
  const toolCalls = toolCallsOf(delta);
  return {
    index: Number.isSafeInteger(choice["index"]) ? (choice["index"] as number) : position,
    text,
    reasoning,
    toolCalls,
    finishReason: finishReasonOf(choice["finish_reason"]),
    isToken:
      text !== "" ||
      reasoning !== "" ||
      toolCalls.some((call) => call.name !== "" || call.arguments !== "") ||
      hasLogprobs(choice["logprobs"]),
  };
}

/** Content is a string, or parts that each say what they are. */
function contentOf(value: unknown): { text: string; reasoning: string } {
  if (typeof value === "string") return { text: value, reasoning: "" };
  let text = "";
  let reasoning = "";
  for (const item of asArray(value)) {
    const part = asObject(item);
    if (part === undefined) text += asText(item);
    else if (isReasoningPart(part)) reasoning += partText(part);
    else text += partText(part);
  }
  return { text, reasoning };
}

function isReasoningPart(part: JsonObject): boolean {
  return part["type"] === "thinking" || part["type"] === "reasoning" || "thinking" in part;
}

function partText(part: JsonObject): string {
  const value = part["text"] ?? part["thinking"] ?? part["reasoning"] ?? part["refusal"];
  if (typeof value === "string") return value;
  return asArray(value)
    .map((item) => asText(asObject(item)?.["text"] ?? item))
    .join("");
}

/** Old and new name may both be sent with the same text, which then is one text. */
function reasoningOf(delta: JsonObject): string {
  const older = asText(delta["reasoning_content"]);
  const newer = asText(delta["reasoning"]);
  return older === newer ? older : older + newer;
}

function toolCallsOf(delta: JsonObject): ToolCallPiece[] {
  const legacy = asObject(delta["function_call"]);
  const calls = asArray(delta["tool_calls"]).map((item, position) => {
    const call = asObject(item) ?? {};
    const index = Number.isSafeInteger(call["index"]) ? (call["index"] as number) : position;
    return toolCall(asObject(call["function"]) ?? {}, index);
  });
  return legacy === undefined ? calls : [...calls, toolCall(legacy, 0)];
}

function toolCall(called: JsonObject, index: number): ToolCallPiece {
  return { index, name: asText(called["name"]), arguments: asText(called["arguments"]) };
}

function finishReasonOf(value: unknown): string | null {
  const reason = asText(asObject(value)?.["type"] ?? value);
  return reason === "" ? null : reason;
}

/** A token whose text is empty (half a character, say) still has its logprobs entry. */
function hasLogprobs(value: unknown): boolean {
  const logprobs = asObject(value);
  if (logprobs === undefined) return false;
  return ["content", "refusal", "tokens"].some((key) => asArray(logprobs[key]).length > 0);
}
