import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { replyTokenText } from "../../../src/engine/schedule/reply-text.ts";
import { REPLY_WORDS } from "../../../src/engine/schedule/reply-words.ts";
import { tokenizeText } from "../../../src/engine/schedule/tokenize.ts";

function replyText(key: number, tokens: number): string {
  return Array.from({ length: tokens }, (_, place) => replyTokenText(key, place)).join("");
}

describe("the text of a reply", () => {
  test("is the same for the same key, and another one for another", () => {
    expect(replyText(1, 50)).toBe(replyText(1, 50));
    expect(replyText(1, 50)).not.toBe(replyText(2, 50));
  });

  test("is printable ASCII in sentences, and has no empty token", () => {
    fc.assert(
      fc.property(fc.integer(), fc.nat(10_000), (key, place) => {
        expect(replyTokenText(key, place)).toMatch(/^( ?[A-Z]?[a-z]*|,|\.\n?)$/);
        expect(replyTokenText(key, place)).not.toMatch(/^ ?$/);
      }),
    );
    const text = replyText(3, 2000);
    expect(text).toMatch(/^[A-Z]/);
    expect(text).not.toMatch(/[,.][,.]|\. [a-z]|\n[^A-Z]|[a-z] [A-Z]/);
    expect(text.split(".").length).toBeGreaterThan(50);
    expect(text.split("\n").length).toBeGreaterThan(5);
  });

  test("comes to as many tokens when it is tokenized again", () => {
    fc.assert(
      fc.property(fc.integer(), fc.nat(500), (key, tokens) => {
        expect(tokenizeText(replyText(key, tokens)).promptTokens).toBe(tokens);
      }),
    );
  });

  test("has a few hundred words, none twice", () => {
    expect(new Set(REPLY_WORDS).size).toBe(REPLY_WORDS.length);
    expect(REPLY_WORDS.length).toBeGreaterThan(250);
    expect(REPLY_WORDS.every((word) => /^[a-z]{1,6}$/.test(word))).toBe(true);
  });
});
