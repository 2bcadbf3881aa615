import { describe, expect, test } from "vitest";
import { serverTimingsOf, usageOf } from "../../src/stream/usage.ts";

const counts = (usage: unknown) => usageOf({ usage });

describe("usage", () => {
  test("S32: what the total has beyond prompt and completion was generated too", () => {
    const found = counts({
      prompt_tokens: 40,
      completion_tokens: 12,
      total_tokens: 140,
      completion_tokens_details: { reasoning_tokens: 88 },
    });
    expect(found).toMatchObject({
      completionTokens: 100,
      reportedCompletionTokens: 12,
      reasoningTokens: 88,
    });
  });

  test("S32: also where completion says 0", () => {
    const found = counts({ prompt_tokens: 21, completion_tokens: 0, total_tokens: 81 });
    expect(found?.completionTokens).toBe(60);
  });

  test("reasoning inside the completion is not added", () => {
    const usage = { prompt_tokens: 15, completion_tokens: 5, total_tokens: 20 };
    expect(counts({ ...usage, completion_tokens_details: { reasoning_tokens: 3 } })).toMatchObject({
      completionTokens: 5,
      reasoningTokens: 3,
    });
  });

  test("a total below its parts takes nothing away", () => {
    expect(
      counts({ prompt_tokens: 5, completion_tokens: 5, total_tokens: 5 })?.completionTokens,
    ).toBe(5);
  });

  test.for([
    [null],
    [{}],
    [[]],
    [5],
    [{ completion_tokens: null }],
    [{ completion_tokens: "5" }],
    [{ completion_tokens: -1 }],
    [{ completion_tokens: 1.5 }],
  ])("%j holds no number", ([usage]) => {
    expect(counts(usage)).toBeUndefined();
  });

  test.for([
    [{ usage: null, x_groq: { usage: { completion_tokens: 3 } } }],
    [{ choices: [{ usage: { completion_tokens: 3 } }] }],
  ])("it may stand elsewhere: %j", ([chunk]) => {
    expect(usageOf(chunk!)?.completionTokens).toBe(3);
  });

  test.for([
    [{ prompt_tokens_details: { cached_tokens: 9 } }],
    [{ prompt_cache_hit_tokens: 9 }],
    [{ cached_tokens: 9 }],
  ])("cached prompt tokens: %j", ([more]) => {
    expect(counts({ prompt_tokens: 10, ...more })?.cachedPromptTokens).toBe(9);
  });

  test("what is not said is null, never 0", () => {
    expect(counts({ completion_tokens: 3 })).toEqual({
      promptTokens: null,
      completionTokens: 3,
      reportedCompletionTokens: 3,
      reasoningTokens: null,
      cachedPromptTokens: null,
      acceptedPredictionTokens: null,
      rejectedPredictionTokens: null,
    });
  });
});

describe("the server's own times", () => {
  test("of llama.cpp, in ms", () => {
    const timings = {
      prompt_n: 4,
      prompt_ms: 1.5,
      predicted_n: 9,
      predicted_ms: 30.25,
      draft_n: 8,
    };
    expect(serverTimingsOf({ timings })).toEqual({
      promptTokens: 4,
      promptMs: 1.5,
      predictedTokens: 9,
      predictedMs: 30.25,
      queueMs: null,
      cachedPromptTokens: null,
      draftTokens: 8,
      acceptedDraftTokens: null,
    });
  });

  test("of Groq, in s there and in ms here", () => {
    const usage = {
      prompt_tokens: 4,
      completion_tokens: 9,
      prompt_time: 0.5,
      completion_time: 0.25,
    };
    expect(serverTimingsOf({ usage: { ...usage, queue_time: 0.125 } })).toMatchObject({
      promptMs: 500,
      predictedMs: 250,
      queueMs: 125,
    });
  });

  test("none", () => {
    expect(serverTimingsOf({ usage: { completion_tokens: 1 } })).toBeUndefined();
  });
});
