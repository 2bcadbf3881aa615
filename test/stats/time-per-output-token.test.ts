import { describe, expect, test } from "vitest";
import { tpotMs } from "../../src/stats/time-per-output-token.ts";

const span = { firstTokenMs: 100, lastTokenMs: 190, tokenEventCount: 10, completionTokens: 10 };

describe("tpotMs", () => {
  test("is the time from the first token to the last over the tokens after the first", () => {
    expect(tpotMs(span)).toBe(10);
    expect(tpotMs({ ...span, completionTokens: 31 })).toBe(3);
  });

  test.each([
    { firstTokenMs: null },
    { lastTokenMs: null },
    { completionTokens: null },
    { completionTokens: 1 },
    { completionTokens: 0 },
    { completionTokens: Number.NaN },
  ])("is not known with %j", (change) => {
    expect(tpotMs({ ...span, ...change })).toBeUndefined();
  });

  test("a reply in one piece shows no time per token, not 0 ms", () => {
    const inOne = { ...span, lastTokenMs: 100, tokenEventCount: 1 };
    expect(tpotMs(inOne)).toBeUndefined();
    expect(tpotMs({ ...inOne, tokenEventCount: 2 })).toBe(0);
  });

  test("a last token before the first, or a time that is no number, is an error", () => {
    expect(() => tpotMs({ ...span, lastTokenMs: 99 })).toThrow(RangeError);
    expect(() => tpotMs({ ...span, lastTokenMs: Number.NaN })).toThrow(RangeError);
  });
});
