import { expect, test } from "vitest";
import { PROMPT_WORDS } from "../../src/workloads/prompt-words.ts";

test("there are 512 different words of four plain letters", () => {
  expect(PROMPT_WORDS).toHaveLength(512);
  expect(new Set(PROMPT_WORDS).size).toBe(512);
  expect(PROMPT_WORDS.filter((word) => !/^[a-z]{4}$/.test(word))).toEqual([]);
});
