import { describe, expect, test } from "vitest";
import { parseEntry } from "../../src/workloads/parse-entry.ts";

const parse = (entry: unknown) => parseEntry(JSON.stringify(entry));
const human = { from: "human", value: "Why?" };

describe("parseEntry", () => {
  test("takes a prompt, with and without output_tokens", () => {
    expect(parse({ prompt: "Hello" })).toEqual({ body: { prompt: "Hello" } });
    expect(parse({ prompt: "Hello", output_tokens: 12, id: 7 })).toEqual({
      body: { prompt: "Hello" },
      outputTokens: 12,
    });
    expect(parse({ prompt: "Hello", output_tokens: null })).toEqual({ body: { prompt: "Hello" } });
  });

  test("takes messages as they are, further fields included", () => {
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "Hi" }] },
      { role: "assistant", content: null, tool_calls: [] },
    ];
    expect(parse({ messages })).toEqual({ body: { messages } });
  });

  test("takes what comes before the first reply of a ShareGPT conversation", () => {
    const conversations = [human, { from: "gpt", value: "Because." }, human];
    expect(parse({ id: "x", conversations })).toEqual({
      body: { messages: [{ role: "user", content: "Why?" }] },
    });
    const system = { from: "system", value: "Be kind." };
    expect(parse({ conversations: [system, human, human] })).toEqual({
      body: {
        messages: [
          { role: "system", content: "Be kind." },
          { role: "user", content: "Why?" },
          { role: "user", content: "Why?" },
        ],
      },
    });
  });

  test.each([
    [{}, /no prompt, messages or conversations/],
    [{ prompt: "a", messages: [] }, /more than one/],
    [{ prompt: "" }, /empty/],
    [{ prompt: 5 }, /not a text/],
    [{ prompt: null }, /not a text/],
    [{ messages: [] }, /messages/],
    [{ messages: "Hi" }, /messages/],
    [{ messages: [{ role: "user" }] }, /role and content/],
    [{ messages: [{ content: "Hi" }] }, /role and content/],
    [{ messages: [null] }, /role and content/],
    [{ conversations: {} }, /not a list/],
    [{ conversations: [] }, /human turn/],
    [{ conversations: [{ from: "gpt", value: "Hi" }] }, /human turn/],
    [{ conversations: [{ from: "system", value: "Hi" }] }, /human turn/],
    [{ conversations: [{ from: "human", value: "" }] }, /human turn/],
    [{ conversations: [{ from: "human" }] }, /from and value/],
    [{ conversations: ["Hi"] }, /from and value/],
    [{ prompt: "a", output_tokens: 0 }, /output_tokens/],
    [{ prompt: "a", output_tokens: 1.5 }, /output_tokens/],
    [{ prompt: "a", output_tokens: "9" }, /output_tokens/],
    [[], /not an object/],
    [null, /not an object/],
    ["prompt", /not an object/],
  ])("%j is refused with a reason", (entry, why) => {
    expect(parse(entry)).toEqual({ why: expect.stringMatching(why) });
  });

  test("what is not JSON is refused with the parser's reason", () => {
    expect(parseEntry("{prompt: 1}")).toEqual({ why: expect.stringMatching(/not JSON \(.+\)/) });
  });
});
