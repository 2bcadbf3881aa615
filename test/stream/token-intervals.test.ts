import { describe, expect, test } from "vitest";
import {
  eventGapsMs,
  sharedReadEvents,
  tokenGapsMs,
  tokensByEvent,
  tpotMs,
} from "../../src/stream/token-intervals.ts";

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

describe("gaps", () => {
  test("S33: the gap between events is one, whatever they hold", () => {
    expect([...eventGapsMs([100, 200, 300])]).toEqual([100, 100]);
    expect([...eventGapsMs([])]).toEqual([]);
  });

  test("S39: a gap that brings k tokens counts k times, and the first token's time never", () => {
    expect([...tokenGapsMs([100, 160, 190], [2, 3, 1])]).toEqual([20, 20, 20, 30]);
  });

  test("an event that brought no token of its own adds no gap", () => {
    expect([...tokenGapsMs([0, 10, 20], [1, 0, 1])]).toEqual([10]);
  });
});

describe("tokens by event", () => {
  test("are the steps of the running total", () => {
    expect([...tokensByEvent([2, 5, 8], 8)!]).toEqual([2, 3, 3]);
  });

  test("may leave a last token without an event: the sign of the end", () => {
    expect([...tokensByEvent([2, 5, 8], 9)!]).toEqual([2, 3, 3]);
  });

  test.for([
    ["one event has no total", [2, -1, 8], 8],
    ["the total falls, as with n choices", [2, 1, 3], 6],
    ["the end total is less", [2, 5, 8], 7],
    ["there is no end total", [2, 5], null],
    ["there are no events", [], 5],
  ] as const)("are not known where %s", ([, totals, tokens]) => {
    expect(tokensByEvent(totals, tokens)).toBeNull();
  });
});

test("events that share a read are all counted", () => {
  expect(sharedReadEvents([1, 2, 2, 3, 4, 4, 4])).toBe(5);
  expect(sharedReadEvents([])).toBe(0);
});
