import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { KEEP_GOING_ENDING, promptSeries } from "../../src/workloads/prompt-series.ts";
import { perCharacter } from "./fake-tokenizers.ts";

const wordsOf = (prompt: string) => prompt.split(" ");
const take = (count: number, promptFor: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => promptFor(index));

describe("promptSeries", () => {
  test("gives the same prompts on every machine: these", () => {
    const { promptFor } = promptSeries({ seed: 1, words: 6 });
    expect(take(3, promptFor)).toMatchInlineSnapshot(`
      [
        "such suit adds rows oven tire",
        "beam rows oven tire suit adds",
        "make tire suit adds rows oven",
      ]
    `);
  });

  test("any 512 prompts in a row begin with 512 different words", () => {
    const { promptFor } = promptSeries({ seed: 3, words: 20 });
    for (const from of [0, 100, 5000]) {
      const firsts = take(512, (i) => wordsOf(promptFor(from + i))[0]!);
      expect(new Set(firsts).size).toBe(512);
    }
  });

  test("prompts that begin with the same word differ in the next", () => {
    const { promptFor } = promptSeries({ seed: 3, words: 100 });
    const alike = Array.from({ length: 99 }, (_, i) => wordsOf(promptFor(7 + 512 * i)));
    expect(new Set(alike.map((words) => words[0])).size).toBe(1);
    expect(new Set(alike.map((words) => words[1])).size).toBe(99);
  });

  test("no two prompts are alike, up to the last that there is", () => {
    // 1 word: 512 prompts; 3 words: 512 × 2 × 1. 64 of them are for probes.
    for (const [words, available] of [
      [1, 512],
      [3, 1024],
      [5, 512 * 24],
    ] as const) {
      const { distinctPrompts, promptFor, probeFor } = promptSeries({ seed: 8, words });
      expect(distinctPrompts).toBe(available - 64);
      const all = [...take(distinctPrompts, promptFor), ...take(64, probeFor)];
      expect(new Set(all).size).toBe(available);
    }
  });

  test("prompts of more words than the list has are still all different", () => {
    const { promptFor } = promptSeries({ seed: 2, words: 1500 });
    const prompts = [0, 512, 1024, 512 * 512, 512 * 513].map(promptFor);
    expect(new Set(prompts.map((prompt) => wordsOf(prompt).slice(0, 3).join(" "))).size).toBe(5);
    expect(wordsOf(prompts[0]!)).toHaveLength(1500);
  });

  test.each([513, 600, 1000, 1500])(
    "of %i words 512 follow the first without a repeat",
    (words) => {
      const { promptFor } = promptSeries({ seed: 2, words });
      for (let q = 0; q < 600; q += 7) {
        const following = wordsOf(promptFor(512 * q + (q % 512))).slice(1, 513);
        expect(new Set(following).size).toBe(following.length);
      }
    },
  );

  test("all prompts have the words that were asked for, the same ones but for the first", () => {
    const someSeries = fc.record({
      seed: fc.integer(),
      words: fc.integer({ min: 1, max: 700 }),
      indexes: fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 2, maxLength: 4 }),
    });
    fc.assert(
      fc.property(someSeries, ({ seed, words, indexes }) => {
        const { promptFor } = promptSeries({ seed, words });
        const prompts = indexes.map((index) => wordsOf(promptFor(index)));
        for (const prompt of prompts) expect(prompt).toHaveLength(words);
        const others = prompts.map((prompt) => prompt.slice(1).toSorted().join(" "));
        expect(new Set(others).size).toBe(1);
        expect(new Set(indexes.map((index) => perCharacter(promptFor(index)))).size).toBe(1);
      }),
    );
  });

  test("asking twice gives the same prompt, another seed gives another", () => {
    const { promptFor } = promptSeries({ seed: 5, words: 30 });
    expect(promptFor(17)).toBe(promptFor(17));
    const other = promptSeries({ seed: 6, words: 30 });
    expect(take(50, other.promptFor)).not.toContain(promptFor(17));
  });

  test.each([
    [0, 0],
    [0.25, 10],
    [0.9, 36],
  ])("a shared prefix of %d is %i of 40 words, and the next word differs", (share, words) => {
    const { promptFor } = promptSeries({ seed: 4, words: 40, sharedPrefixShare: share });
    const prompts = take(300, promptFor).map(wordsOf);
    const prefixes = prompts.map((prompt) => prompt.slice(0, words).join(" "));
    expect(new Set(prefixes).size).toBe(1);
    expect(new Set(prompts.map((prompt) => prompt[words])).size).toBe(300);
    expect(prompts.every((prompt) => prompt.length === 40)).toBe(true);
  });

  test("with everything shared there is one prompt, whichever is asked for", () => {
    const series = promptSeries({ seed: 4, words: 40, sharedPrefixShare: 1 });
    expect(series.distinctPrompts).toBe(1);
    expect(series.promptFor(0)).toBe(series.promptFor(99));
    expect(wordsOf(series.promptFor(0))).toHaveLength(40);
  });

  test("an ending stands after every prompt", () => {
    const { promptFor } = promptSeries({ seed: 1, words: 5, ending: KEEP_GOING_ENDING });
    expect(promptFor(0)).toMatch(/^([a-z]{4} ){4}[a-z]{4}\n\nContinue .*\.$/);
  });

  test("a prompt that does not exist is an error that says how many there are", () => {
    const { promptFor } = promptSeries({ seed: 1, words: 1 });
    expect(() => promptFor(448)).toThrow(/448 different prompts/);
    expect(() => promptFor(-1)).toThrow(/no prompt -1/);
    expect(() => promptFor(0.5)).toThrow(/no prompt 0.5/);
  });

  test.each([
    [{ words: 0 }, /0 words/],
    [{ words: 1.5 }, /1.5 words/],
    [{ words: Number.NaN }, /NaN words/],
    [{ seed: 0.5 }, /seed 0.5/],
    [{ sharedPrefixShare: 1.1 }, /1.1/],
    [{ sharedPrefixShare: Number.NaN }, /NaN/],
  ])("%j is refused", (change, message) => {
    expect(() => promptSeries({ seed: 1, words: 4, ...change })).toThrow(message);
  });
});
