import { describe, expect, test } from "vitest";
import { sharedReadEvents, tokensByEvent } from "../../src/stream/token-steps.ts";

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
