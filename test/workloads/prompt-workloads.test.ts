import { describe, expect, test } from "vitest";
import { CODE_PROMPT } from "../../src/workloads/code-prompt.ts";
import { promptSeries } from "../../src/workloads/prompt-series.ts";
import { codePromptWorkload, syntheticWorkload } from "../../src/workloads/prompt-workloads.ts";

const series = { seed: 2, words: 12 };

describe("syntheticWorkload", () => {
  test("gives the prompts of its series to either endpoint", () => {
    const prompt = promptSeries(series).promptFor(3);
    expect(syntheticWorkload({ endpoint: "completions", series }).requestAt(3)).toEqual({
      body: { prompt },
    });
    expect(syntheticWorkload({ endpoint: "chat", series }).requestAt(3)).toEqual({
      body: { messages: [{ role: "user", content: prompt }] },
    });
  });

  test("tells input and output tokens where they are known, and else has no such field", () => {
    const known = { expectedInputTokens: 40, outputTokens: 128 };
    const workload = syntheticWorkload({ endpoint: "chat", series, ...known });
    expect(workload.requestAt(0)).toMatchObject(known);
  });

  test("has as many requests as its series has prompts, and no more", () => {
    const workload = syntheticWorkload({ endpoint: "chat", series: { seed: 2, words: 1 } });
    expect(workload.distinctRequests).toBe(448);
    expect(() => workload.requestAt(448)).toThrow(/different prompts/);
  });
});

describe("codePromptWorkload", () => {
  test("is the committed prompt every time, under its version's name", () => {
    const workload = codePromptWorkload("chat", 1500);
    expect(workload.name).toBe(CODE_PROMPT.version);
    expect(workload.distinctRequests).toBe(1);
    expect(workload.requestAt(2)).toEqual({
      body: { messages: [{ role: "user", content: CODE_PROMPT.text }] },
      outputTokens: 1500,
    });
  });
});
