import { describe, expect, test } from "vitest";
import { choicePiece } from "../../src/stream/chunk-choice.ts";

const delta = (fields: object, more: object = {}) =>
  choicePiece({ index: 0, delta: fields, ...more }, 0)!;

describe("what is a token event", () => {
  test.for([
    ["content", { content: "a" }],
    ["white space", { content: " " }],
    ["a line break", { content: "\n" }],
    ["typed content", { content: [{ type: "text", text: "a" }] }],
    ["reasoning_content", { reasoning_content: "a" }],
    ["reasoning", { reasoning: "a" }],
    [
      "typed reasoning",
      { content: [{ type: "thinking", thinking: [{ type: "text", text: "a" }] }] },
    ],
    ["the name of a tool", { tool_calls: [{ index: 0, function: { name: "f" } }] }],
    ["arguments of a tool", { tool_calls: [{ index: 0, function: { arguments: "{" } }] }],
    ["a function call of old", { function_call: { arguments: "{" } }],
    ["a refusal", { refusal: "No" }],
  ] as const)("%s is", ([, fields]) => {
    expect(delta(fields).isToken).toBe(true);
  });

  test.for([
    ["a role", { role: "assistant" }],
    ["empty content", { role: "assistant", content: "" }],
    ["null content", { content: null, tool_calls: null, reasoning: null }],
    [
      "an empty tool call",
      { tool_calls: [{ index: 0, id: "x", function: { name: "", arguments: "" } }] },
    ],
    ["empty parts", { content: [{ type: "text", text: "" }] }],
    ["content of no kind", { content: 5 }],
  ] as const)("%s is not", ([, fields]) => {
    expect(delta(fields).isToken).toBe(false);
  });

  test("text of /completions is, empty text is not", () => {
    expect(choicePiece({ text: "a" }, 0)?.isToken).toBe(true);
    expect(choicePiece({ text: "" }, 0)?.isToken).toBe(false);
  });

  test.for([
    [{ content: [{ token: "" }] }, true],
    [{ tokens: ["\ud83d"] }, true],
    [{ content: [] }, false],
    [{ content: null }, false],
    [null, false],
  ] as const)("a logprobs entry is one, also without text: %j %s", ([logprobs, expected]) => {
    expect(delta({ content: "" }, { logprobs }).isToken).toBe(expected);
  });
});

describe("what a piece says", () => {
  test("S22: the same reasoning under both names is one text, different ones are two", () => {
    expect(delta({ reasoning: "a", reasoning_content: "a" }).reasoning).toBe("a");
    expect(delta({ reasoning: "b", reasoning_content: "a" }).reasoning).toBe("ab");
  });

  test("S41: an empty finish_reason is none", () => {
    expect(delta({}, { finish_reason: "" }).finishReason).toBeNull();
    expect(delta({}, { finish_reason: "length" }).finishReason).toBe("length");
    expect(delta({}, { finish_reason: { type: "abort" } }).finishReason).toBe("abort");
  });

  test("S19: delta may be null or missing, a choice may be rubbish", () => {
    expect(choicePiece({ index: 0, delta: null, finish_reason: "stop" }, 0)?.finishReason).toBe(
      "stop",
    );
    expect(choicePiece({ index: 0 }, 0)).toMatchObject({ text: "", isToken: false });
    expect(choicePiece(null, 0)).toBeUndefined();
    expect(choicePiece([], 0)).toBeUndefined();
  });

  test("where delta and message are both sent, message is a repetition", () => {
    const piece = choicePiece({ index: 0, delta: { content: "b" }, message: { content: "ab" } }, 0);
    expect(piece?.text).toBe("b");
  });

  test("a choice without an index has that of its place", () => {
    expect(choicePiece({ text: "a" }, 3)?.index).toBe(3);
  });
});
