import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { eventGapsMs, tokenGapsMs, tokensByEvent } from "../../src/stats/inter-token.ts";

describe("eventGapsMs", () => {
  test("are the times between events", () => {
    expect(eventGapsMs([100, 110, 110, 135])).toEqual([10, 0, 25]);
  });

  test("none and one event have no gap", () => {
    expect(eventGapsMs([])).toEqual([]);
    expect(eventGapsMs(Float64Array.of(5))).toEqual([]);
  });

  test("times out of order, or no times, are an error", () => {
    expect(() => eventGapsMs([10, 9])).toThrow(RangeError);
    expect(() => eventGapsMs([10, Number.NaN])).toThrow(RangeError);
  });
});

describe("tokenGapsMs", () => {
  test("a gap that brings k tokens is k gaps of a k-th of it", () => {
    expect(tokenGapsMs([0, 30, 40], [1, 3, 1])).toEqual([
      { gapMs: 10, times: 3 },
      { gapMs: 10, times: 1 },
    ]);
  });

  test("the tokens of the first event have no gap", () => {
    expect(tokenGapsMs([0, 30], [8, 1])).toEqual([{ gapMs: 30, times: 1 }]);
    expect(tokenGapsMs([0], [8])).toEqual([]);
    expect(tokenGapsMs([], [])).toEqual([]);
  });

  test("the gap before an event without a token adds to the next one with", () => {
    expect(tokenGapsMs([0, 10, 20, 50], [1, 0, 0, 2])).toEqual([{ gapMs: 25, times: 2 }]);
    expect(tokenGapsMs([0, 10, 20], [1, 1, 0])).toEqual([{ gapMs: 10, times: 1 }]);
  });

  test.each([[[1]], [[1, 1.5]], [[1, -1]], [[1, Number.NaN]]])(
    "tokens %j do not fit two events: there is no per-token view",
    (tokens) => {
      expect(tokenGapsMs([0, 10], tokens)).toBeUndefined();
    },
  );

  test("both views take the same time, and the per-token view has every token but the first's", () => {
    const events = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 1, max: 9 })),
      {
        minLength: 1,
      },
    );
    fc.assert(
      fc.property(events, (drawn) => {
        let atMs = 0;
        const timesMs = drawn.map(([gapMs]) => (atMs += gapMs));
        const tokens = drawn.map(([, count]) => count);
        const gaps = tokenGapsMs(timesMs, tokens)!;
        const spanMs = gaps.reduce((sum, { gapMs, times }) => sum + gapMs * times, 0);
        expect(spanMs).toBeCloseTo(timesMs.at(-1)! - timesMs[0]!, 6);
        const count = gaps.reduce((sum, { times }) => sum + times, 0);
        expect(count).toBe(tokens.slice(1).reduce((sum, k) => sum + k, 0));
      }),
    );
  });
});

describe("tokensByEvent", () => {
  test("is the server's steps where it sends them", () => {
    expect(tokensByEvent(2, 7, [3, 4])).toEqual([3, 4]);
  });

  test("is one each where there are as many tokens as events", () => {
    expect(Array.from(tokensByEvent(3, 3)!)).toEqual([1, 1, 1]);
    expect(Array.from(tokensByEvent(3, 3, [1, 2])!)).toEqual([1, 1, 1]);
  });

  test("is not known where the counts differ or nothing was told", () => {
    expect(tokensByEvent(3, 7)).toBeUndefined();
    expect(tokensByEvent(3, null, null)).toBeUndefined();
  });
});
