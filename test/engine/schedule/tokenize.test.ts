import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tokenEnd } from "../../../src/engine/schedule/token-end.ts";
import { tokenizeIds, tokenizeParts, tokenizeText } from "../../../src/engine/schedule/tokenize.ts";

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = tokenEnd(text, start);
    tokens.push(text.slice(start, end));
    start = end;
  }
  return tokens;
}

/** Texts that mix all kinds of characters, lone halves of pairs included. */
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.string({
    unit: fc.constantFrom("a", "B", "é", " ", "\n", "7", "!", "я", "中", "😀", "\ud800"),
  }),
);

describe("tokens of a text", () => {
  test.each([
    ["The quick brown fox", ["The", " quick", " brown", " fox"]],
    ["Hello, world!\n\nYes", ["Hello", ",", " world", "!\n\n", "Yes"]],
    ["benchmarking", ["benchm", "arking"]],
    ["in 2026: 12345", ["in", " 202", "6", ":", " 123", "45"]],
    ["    return x;\n", ["   ", " return", " x", ";\n"]],
    ["a \n b", ["a", " \n", " b"]],
    ["end  ", ["end", "  "]],
    ["Größe, naïve", ["Größe", ",", " naïve"]],
    ["привет", ["при", "вет"]],
    ["日本 語", ["日", "本", " 語"]],
    ["ok 😀", ["ok", " \ud83d", "\ude00"]],
    ["", []],
  ])("%j", (text, tokens) => {
    expect(tokensOf(text)).toEqual(tokens);
    expect(tokenizeText(text).promptTokens).toBe(tokens.length);
  });

  test("are about four characters long in English", () => {
    const text =
      "It was a bright cold day in April, and the clocks were striking thirteen. The benchmark " +
      "starts with a baseline, in which nothing is asked of the server; then it sends prompts, " +
      "measures when each token arrives, and integrates the power that the devices report.";
    const unitsPerToken = text.length / tokenizeText(text).promptTokens;
    expect(unitsPerToken).toBeGreaterThan(3.6);
    expect(unitsPerToken).toBeLessThan(4.6);
  });

  test("are never empty and never longer than 17 units, whatever the text", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const tokens = tokensOf(text);
        expect(tokens.join("")).toBe(text);
        expect(tokens.every(({ length }) => length >= 1 && length <= 17)).toBe(true);
      }),
    );
  });

  test.each([
    ["one word", "a", 6],
    ["only blanks", " ", 16],
    ["only line ends", "\n", 16],
    ["only emojis", "😀", 1],
  ])("of a hostile text of 10 MB (%s) are counted in linear time", (_, unit, unitsPerToken) => {
    const text = unit.repeat(10_000_000 / unit.length);
    expect(tokenizeText(text).promptTokens).toBe(Math.ceil(text.length / unitsPerToken));
  });
});

describe("block hashes", () => {
  test("there is one for each whole block of 16 tokens", () => {
    const counts = [0, 15, 16, 31, 32].map((words) => tokenizeText(" word".repeat(words)));
    expect(counts.map(({ promptTokens }) => promptTokens)).toEqual([0, 15, 16, 31, 32]);
    expect(counts.map(({ blockHashes }) => blockHashes.length)).toEqual([0, 0, 1, 1, 2]);
  });

  test("parts that begin alike have the blocks of what is alike, and no others", () => {
    const parts = fc.array(anyText, { maxLength: 6 });
    fc.assert(
      fc.property(parts, parts, parts, (common, some, others) => {
        const wholeBlocks = Math.floor(tokenizeParts(common).promptTokens / 16);
        const first = tokenizeParts([...common, "x", ...some]).blockHashes;
        const second = tokenizeParts([...common, "y", ...others]).blockHashes;
        expect(first.slice(0, wholeBlocks)).toEqual(second.slice(0, wholeBlocks));
        for (let i = wholeBlocks; i < Math.min(first.length, second.length); i++) {
          expect(first[i]).not.toBe(second[i]);
        }
      }),
    );
  });

  test("stand for all blocks before them too", () => {
    const block = " word".repeat(16);
    const [first, second] = tokenizeText(block + block).blockHashes;
    expect(first).not.toBe(second);
    expect(tokenizeText(` other${block}`).blockHashes[0]).not.toBe(first);
  });

  test("are of 32 bits and hardly ever collide", () => {
    const hashes = new Set<number>();
    for (let i = 0; i < 5000; i++) {
      const [hash] = tokenizeText(` ${i}`.padStart(6, "0") + " word".repeat(16)).blockHashes;
      expect(hash).toBe(hash! | 0);
      hashes.add(hash!);
    }
    // By chance, one pair in 344 such sets.
    expect(hashes.size).toBeGreaterThanOrEqual(4999);
  });
});

describe("parts", () => {
  test("no token reaches from one into the next", () => {
    expect(tokenizeParts(["ab", "cd"]).promptTokens).toBe(2);
    expect(tokenizeText("abcd").promptTokens).toBe(1);
    expect(tokenizeParts(["ab", "cd"]).key).not.toBe(tokenizeParts(["abc", "d"]).key);
  });

  test("a special token is one token, in any other text it is not", () => {
    expect(tokenizeParts(["<|user|>", "Hi"]).promptTokens).toBe(2);
    expect(tokenizeText("<|user|> Hi").promptTokens).toBeGreaterThan(2);
  });
});

describe("token ids", () => {
  test("are a token each, and hash by what they are and where they stand", () => {
    const ids = Array.from({ length: 40 }, (_, i) => i * 1000);
    const tokenized = tokenizeIds(ids);
    expect(tokenized.promptTokens).toBe(40);
    expect(tokenized.blockHashes).toHaveLength(2);
    expect(tokenizeIds(ids.toReversed()).blockHashes).not.toEqual(tokenized.blockHashes);
    expect(tokenizeIds([...ids.slice(0, 20), 7]).blockHashes[0]).toBe(tokenized.blockHashes[0]);
  });

  test("the key changes with the last token, also within a block", () => {
    expect(tokenizeIds([1, 2, 3]).key).not.toBe(tokenizeIds([1, 2, 4]).key);
    expect(tokenizeIds([1, 2]).key).not.toBe(tokenizeIds([1, 2, 0]).key);
  });
});
