import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type TokenEvents, tokensInWindow } from "../../src/stats/tokens-in-window.ts";

const served = (eventTimesMs: number[], completionTokens: number | null): TokenEvents => ({
  eventTimesMs,
  completionTokens,
  isSuccess: true,
});

describe("tokensInWindow", () => {
  test("of a request inside the window all tokens count, however many events brought them", () => {
    expect(tokensInWindow([served([10, 20, 30], 3), served([15, 25], 8)], 0, 100)).toEqual({
      output: 11,
      delivered: 11,
      isEstimated: false,
      why: [],
    });
  });

  test("a request that straddles an edge counts the part that arrived", () => {
    const request = served([10, 20, 30, 40], 8);
    expect(tokensInWindow([request], 0, 20).output).toBe(4);
    expect(tokensInWindow([request], 20, 35).output).toBe(2);
    expect(tokensInWindow([request], 40, 99).output).toBe(0);
  });

  test("an event at the start belongs to the window before, one at the end to this one", () => {
    const request = served([10, 20], 2);
    expect(tokensInWindow([request], 10, 20).output).toBe(1);
    expect(tokensInWindow([request], 0, 10).output).toBe(1);
  });

  test("where the server sends running usage, an event carries its step", () => {
    const request = { ...served([10, 20, 30], 10), tokenSteps: [1, 6, 3] };
    expect(tokensInWindow([request], 15, 25).output).toBe(6);
    expect(tokensInWindow([request], 0, 99).output).toBe(10);
  });

  test("steps that miss a token of the final count are scaled to it", () => {
    const request = { ...served([10, 20], 10), tokenSteps: [4, 4] };
    expect(tokensInWindow([request], 0, 10).output).toBe(5);
  });

  test("steps alone are a count of the server too", () => {
    const request = { ...served([10, 20], null), tokenSteps: [1, 4] };
    expect(tokensInWindow([request], 10, 20)).toMatchObject({ output: 4, isEstimated: false });
  });

  test.each([[[1]], [[0, 0]], [[Number.NaN, 1]], [[-1, 2]], [[Infinity, 1]], [null]])(
    "steps %j say nothing of two events: they share the count evenly",
    (tokenSteps) => {
      const request = { ...served([10, 20], 10), tokenSteps };
      expect(tokensInWindow([request], 0, 10).output).toBe(5);
    },
  );

  test("a failed request counts its events, is not delivered, and marks the sum", () => {
    const failed = { eventTimesMs: [10, 20, 30], completionTokens: null, isSuccess: false };
    expect(tokensInWindow([served([10, 20], 4), failed], 0, 20)).toEqual({
      output: 6,
      delivered: 4,
      isEstimated: true,
      why: [{ reason: "failed_request", requests: 1 }],
    });
  });

  test("a failed request that got steps before it failed counts those", () => {
    const failed = { eventTimesMs: [10, 20], completionTokens: null, isSuccess: false };
    const result = tokensInWindow([{ ...failed, tokenSteps: [3, 3] }], 0, 99);
    expect(result).toMatchObject({ output: 6, delivered: 0, isEstimated: true });
  });

  test("a failed request that brought nothing into the window makes nothing uncertain", () => {
    const refused = { eventTimesMs: [], completionTokens: null, isSuccess: false };
    const later = { eventTimesMs: [500], completionTokens: null, isSuccess: false };
    expect(tokensInWindow([refused, later, served([10], 1)], 0, 99)).toEqual({
      output: 1,
      delivered: 1,
      isEstimated: false,
      why: [],
    });
  });

  test("a count that the server did not tell is its events, and says so", () => {
    const result = tokensInWindow([served([10, 20], null), served([10], null)], 0, 99);
    expect(result).toEqual({
      output: 3,
      delivered: 3,
      isEstimated: true,
      why: [{ reason: "count_not_told", requests: 2 }],
    });
    expect(tokensInWindow([served([10, 20], null)], 50, 99).isEstimated).toBe(false);
  });

  test.each([null, 5])(
    "tokens (%s) that no event brought make the sum unknown, not zero",
    (tokens) => {
      expect(tokensInWindow([served([], tokens), served([10], 1)], 0, 99)).toEqual({
        output: undefined,
        delivered: undefined,
        isEstimated: false,
        why: [{ reason: "no_events", requests: 1 }],
      });
    },
  );

  test("a request that brought no tokens is known to have brought none", () => {
    expect(tokensInWindow([served([], 0)], 0, 99)).toMatchObject({ output: 0, why: [] });
  });

  test("no request is no token", () => {
    expect(tokensInWindow([], 0, 99)).toMatchObject({ output: 0, delivered: 0, why: [] });
  });

  test("times in typed arrays are times", () => {
    const eventTimesMs = Float64Array.of(10, 20, 30);
    const request = { ...served([], 6), eventTimesMs, tokenSteps: Uint32Array.of(1, 2, 3) };
    expect(tokensInWindow([request], 10, 30).output).toBe(5);
  });

  test("a time or an edge that is not a number is an error, never a token less", () => {
    expect(() => tokensInWindow([served([10, Number.NaN], 2)], 0, 99)).toThrow(RangeError);
    expect(() => tokensInWindow([], Number.NaN, 99)).toThrow(RangeError);
    expect(() => tokensInWindow([], 99, 0)).toThrow(RangeError);
  });

  test("the parts of a split window add up to the whole", () => {
    const time = fc.double({ min: 0, max: 100, noNaN: true });
    const request = fc.record({
      eventTimesMs: fc.array(time, { minLength: 1, maxLength: 20 }),
      completionTokens: fc.option(fc.double({ min: 0, max: 500, noNaN: true }).map(Math.floor)),
      isSuccess: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(request), fc.tuple(time, time, time), (requests, edges) => {
        const [a, b, c] = edges.toSorted((x, y) => x - y) as [number, number, number];
        const part = (startMs: number, endMs: number) => tokensInWindow(requests, startMs, endMs);
        expect(part(a, b).output! + part(b, c).output!).toBeCloseTo(part(a, c).output!, 6);
        expect(part(a, b).delivered! + part(b, c).delivered!).toBeCloseTo(part(a, c).delivered!, 6);
      }),
    );
  });
});
