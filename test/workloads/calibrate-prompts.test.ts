import { describe, expect, test } from "vitest";
import {
  type CalibratedPrompts,
  type CalibrateOptions,
  calibratePrompts,
} from "../../src/workloads/calibrate-prompts.ts";
import { KEEP_GOING_ENDING, promptSeries } from "../../src/workloads/prompt-series.ts";
import {
  perCharacter,
  perWord,
  randomMerges,
  type Tokenizer,
  wordPieces,
} from "./fake-tokenizers.ts";

/** A server that counts with a tokenizer and adds its template. */
function serverOf(tokenize: Tokenizer, templateTokens: number) {
  const prompts: string[] = [];
  const count = async (prompt: string): Promise<number> => {
    prompts.push(prompt);
    return tokenize(prompt) + templateTokens;
  };
  return { prompts, count };
}

type Calibrated = Extract<CalibratedPrompts, { isCalibrated: true }>;

async function calibrated(options: CalibrateOptions): Promise<Calibrated> {
  const found = await calibratePrompts(options);
  if (!found.isCalibrated) throw new Error(found.why);
  return found;
}

const TARGETS = [
  [64, 0],
  [100, 0],
  [128, 7],
  [128, 60],
  [1024, 25],
  [4000, 0],
] as const;

/** Counts of many prompts that were not probed, as distances from the target, ascending. */
function distances(found: CalibratedPrompts, tokenize: Tokenizer, template: number): number[] {
  return Array.from({ length: 200 }, (_, i) => tokenize(found.promptFor(i * 37)) + template)
    .map((tokens) => Math.abs(tokens - found.targetTokens))
    .toSorted((a, b) => a - b);
}

describe.each([
  ["one token per character", perCharacter],
  ["one token per word", perWord],
  ["words with their space", wordPieces],
] as const)("calibratePrompts with %s", (_name, tokenize) => {
  test.each(TARGETS)(
    "%i tokens, template of %i: all prompts are near",
    async (target, template) => {
      const { count, prompts } = serverOf(tokenize, template);
      const found = await calibrated({ targetTokens: target, count });
      const tolerance = Math.max(2, 0.02 * target);
      expect(found).toMatchObject({ toleranceTokens: tolerance, isWithinTolerance: true });
      expect(distances(found, tokenize, template).at(-1)).toBeLessThanOrEqual(tolerance);
      expect(found.probes).toBe(prompts.length);
      expect(found.probes).toBeLessThanOrEqual(8);
    },
  );
});

describe.each([1, 2, 3, 4, 5])("calibratePrompts with random merges, number %i", (seed) => {
  test.each(TARGETS)(
    "%i tokens, template of %i: nine in ten are near",
    async (target, template) => {
      const tokenize = randomMerges(seed, false);
      const { count, prompts } = serverOf(tokenize, template);
      const found = await calibrated({ targetTokens: target, count });
      const far = distances(found, tokenize, template);
      expect(far[Math.floor(0.9 * far.length)]).toBeLessThanOrEqual(Math.max(3, 0.02 * target));
      expect(prompts.length).toBeLessThanOrEqual(22);
    },
  );

  test.each(TARGETS)(
    "%i tokens, template of %i, merges across spaces",
    async (target, template) => {
      const tokenize = randomMerges(seed, true);
      const { count, prompts } = serverOf(tokenize, template);
      const found = await calibrated({ targetTokens: target, count });
      const far = distances(found, tokenize, template);
      expect(far[Math.floor(0.9 * far.length)]).toBeLessThanOrEqual(Math.max(5, 0.02 * target));
      expect(prompts.length).toBeLessThanOrEqual(22);
    },
  );
});

describe("calibratePrompts", () => {
  test("says what a word adds and what the template is", async () => {
    const { count } = serverOf(perWord, 31);
    const found = await calibrated({ targetTokens: 500, count });
    expect(found).toMatchObject({
      expectedTokens: 500,
      maxDeviationTokens: 0,
      tokensPerWord: 1,
      overheadTokens: 31,
    });
    expect(found.series).toEqual({ seed: 0, words: 469 });
  });

  test("a character tokenizer: five tokens a word, but for one space", async () => {
    const { count } = serverOf(perCharacter, 10);
    const found = await calibrated({ targetTokens: 509, count });
    expect(found).toMatchObject({ tokensPerWord: 5, overheadTokens: 9, expectedTokens: 509 });
  });

  test("the ending is part of what is counted", async () => {
    const { count, prompts } = serverOf(perWord, 3);
    const found = await calibrated({ targetTokens: 60, count, ending: KEEP_GOING_ENDING });
    expect(perWord(found.promptFor(0))).toBe(57);
    expect(prompts.every((prompt) => prompt.endsWith(KEEP_GOING_ENDING))).toBe(true);
  });

  test("a shared prefix stays a share of the prompt that was found", async () => {
    const { count } = serverOf(perWord, 0);
    const found = await calibrated({ targetTokens: 200, count, sharedPrefixShare: 0.5 });
    const [a, b] = [found.promptFor(0), found.promptFor(1)].map((prompt) => prompt.split(" "));
    expect(a!.slice(0, 100)).toEqual(b!.slice(0, 100));
    expect(a![100]).not.toBe(b![100]);
  });

  test("its series makes the same prompts elsewhere", async () => {
    const { count } = serverOf(wordPieces, 12);
    const found = await calibrated({ targetTokens: 90, count, seed: 77 });
    const copy = promptSeries(JSON.parse(JSON.stringify(found.series)));
    expect(copy.promptFor(5)).toBe(found.promptFor(5));
  });

  test.each([null, 0, Number.NaN, -1])(
    "a server that tells %s for prompt_tokens leaves the prompts uncalibrated, and it says so",
    async (told) => {
      const found = await calibratePrompts({ targetTokens: 128, count: async () => told });
      expect(found).toMatchObject({
        isCalibrated: false,
        why: expect.stringMatching(/does not tell/),
        probes: 1,
      });
      expect(found).not.toHaveProperty("expectedTokens");
      expect(found.promptFor(0).split(" ")).toHaveLength(128);
    },
  );

  test("a server that stops telling leaves them uncalibrated", async () => {
    for (const after of [1, 2, 3, 4]) {
      let asked = 0;
      const count = async (prompt: string) => (asked++ < after ? perWord(prompt) : null);
      const found = await calibratePrompts({ targetTokens: 300, count });
      expect(found.isCalibrated).toBe(false);
    }
  });

  test("a count that is the same for every prompt calibrates nothing", async () => {
    const found = await calibratePrompts({ targetTokens: 128, count: async () => 128 });
    expect(found).toMatchObject({
      isCalibrated: false,
      why: expect.stringMatching(/does not grow/),
    });
  });

  test("a server that cuts long prompts off is found out", async () => {
    const count = async (prompt: string) => Math.min(2048, perWord(prompt) + 5);
    const found = await calibratePrompts({ targetTokens: 4096, count });
    expect(found).toMatchObject({
      isCalibrated: false,
      why: expect.stringMatching(/stops growing at 2048/),
    });
  });

  test("a tokenizer too coarse for the tolerance is calibrated, and says that it is off", async () => {
    const count = async (prompt: string) => 40 * perWord(prompt);
    expect(await calibratePrompts({ targetTokens: 100, count })).toMatchObject({
      isCalibrated: true,
      isWithinTolerance: false,
      expectedTokens: 120,
      maxDeviationTokens: 20,
    });
  });

  test("its probes are none of the prompts that it gives out", async () => {
    const { count, prompts } = serverOf(wordPieces, 5);
    const found = await calibrated({ targetTokens: 70, count });
    const given = new Set(Array.from({ length: 20_000 }, (_, i) => found.promptFor(i)));
    expect(prompts.filter((prompt) => given.has(prompt))).toEqual([]);
  });

  test("a target below the template is refused with the least that can be had", async () => {
    const { count } = serverOf(perWord, 60);
    await expect(calibratePrompts({ targetTokens: 32, count })).rejects.toMatchObject({
      code: "bad_option",
      message: expect.stringMatching(/61 tokens for a prompt of one word.*ask for 61 or more/),
    });
  });

  test("one word is a prompt where one word is what was asked for", async () => {
    const { count } = serverOf(perWord, 10);
    const found = await calibrated({ targetTokens: 11, count, toleranceTokens: 0 });
    expect(found.series.words).toBe(1);
  });

  test.each([0, -5, 1.5, Number.NaN])("%d tokens are refused unasked", async (targetTokens) => {
    const { count, prompts } = serverOf(perWord, 0);
    await expect(calibratePrompts({ targetTokens, count })).rejects.toThrow(/whole number/);
    expect(prompts).toEqual([]);
  });

  test("an error of the server ends it, as it is", async () => {
    const refused = new Error("401");
    const count = () => Promise.reject(refused);
    await expect(calibratePrompts({ targetTokens: 64, count })).rejects.toBe(refused);
  });

  test("once aborted it asks nothing more", async () => {
    const controller = new AbortController();
    const { count, prompts } = serverOf(perWord, 0);
    const counting = (prompt: string, signal?: AbortSignal) => {
      expect(signal).toBe(controller.signal);
      controller.abort();
      return count(prompt);
    };
    const options = { targetTokens: 64, count: counting, signal: controller.signal };
    await expect(calibratePrompts(options)).rejects.toThrow(/abort/i);
    expect(prompts).toHaveLength(1);
  });
});
