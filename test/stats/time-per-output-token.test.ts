import { describe, expect, test } from "vitest";
import { tpotMs } from "../../src/stats/time-per-output-token.ts";

describe("S39: time per output token", () => {
  test("is the decode time over the tokens after the first", () => {
    expect(tpotMs([100, 160, 220], 8)).toBeCloseTo(120 / 7, 9);
  });

  test("leaves out the first event where its tokens are known", () => {
    expect(tpotMs([100, 160, 220], 8, 2)).toBe(20);
  });

  test.for([
    ["n is unknown", [1, 2], null, 1],
    ["n is 1", [1, 2], 1, 1],
    ["S34: there is one event", [1], 48, 1],
    ["there is none", [], 48, 1],
    ["all tokens came with the first", [1, 2], 3, 3],
  ] as const)("is not measured where %s", ([, atMs, tokens, first]) => {
    expect(tpotMs(atMs, tokens, first)).toBeNull();
  });
});
