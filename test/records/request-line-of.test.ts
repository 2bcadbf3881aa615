import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RequestLine } from "../../src/records/request-line.ts";
import { requestLine, tokenAtMs } from "../../src/records/request-line-of.ts";
import type { RequestOutcome } from "../../src/stream/request-outcome.ts";
import { errorOutcome, okOutcome } from "./support/outcomes.ts";

const AT = { cell: 4, segment: 1, phase: "window" } as const;

const lineFor = (outcome: RequestOutcome, sendLagMs: number | null = null): RequestLine =>
  requestLine({ index: 7, outcome, sendLagMs }, AT);

describe("a line of requests.jsonl", () => {
  test("has what is known and no key for what is not", () => {
    expect(lineFor(okOutcome(), 0.5)).toEqual({
      cell: 4,
      segment: 1,
      phase: "window",
      index: 7,
      state: "ok",
      httpStatus: 200,
      startedMs: 99,
      sentMs: 100,
      firstByteMs: 109,
      firstTokenMs: 110,
      firstContentMs: 110,
      lastTokenMs: 130,
      endMs: 131,
      sendLagMs: 0.5,
      promptTokens: 100,
      completionTokens: 3,
      tokenSource: "usage",
      finishReason: "length",
      model: "m",
      tokenEvents: 3,
      sharedReadEvents: 0,
      gapsUs: [10_000, 10_000],
    });
  });

  test("holds no null at any depth, whatever became of the request", () => {
    const timings = {
      promptTokens: null,
      promptMs: 2,
      predictedTokens: null,
      predictedMs: null,
      queueMs: null,
      cachedPromptTokens: null,
      draftTokens: null,
      acceptedDraftTokens: null,
    };
    const all = [okOutcome({ serverTimings: timings }), errorOutcome(), okOutcome({ dueMs: 3 })];
    for (const outcome of all) expect(JSON.stringify(lineFor(outcome))).not.toContain("null");
    expect(lineFor(all[0]!).serverTimings).toEqual({ promptMs: 2 });
  });

  test("never holds what a model or a server wrote, but for the words of an error", () => {
    expect(JSON.stringify(lineFor(okOutcome()))).not.toContain("SECRET");
    const line = lineFor(errorOutcome({ errorMessage: "x".repeat(5000) }));
    expect(line).toMatchObject({ state: "error", errorKind: "http_status" });
    expect(line.message).toBe("x".repeat(1000));
  });

  test("rounds times to the µs, and the first token is not rounded twice", () => {
    const outcome = okOutcome({
      sentMs: 100.000_499_9,
      firstTokenMs: 110.000_500_1,
      tokenAtMs: Float64Array.of(110.000_500_1, 110.001_499_9),
    });
    const line = lineFor(outcome);
    expect(line.sentMs).toBe(100);
    expect(line.firstTokenMs).toBe(110.001);
    expect([...tokenAtMs(line)]).toEqual([110.001, 110.001]);
  });

  test("keeps tokens by event as plain numbers, and flags only where there are some", () => {
    const line = lineFor(
      okOutcome({ tokensByEvent: Uint32Array.of(1, 4, 2), flags: ["shared_reads"] }),
    );
    expect(line.tokensByEvent).toEqual([1, 4, 2]);
    expect(line.flags).toEqual(["shared_reads"]);
  });

  test("arrival times come back to within half a µs, however many there are", () => {
    const gaps = fc.array(fc.double({ min: 0, max: 5000, noNaN: true }), { maxLength: 200 });
    const first = fc.double({ min: 0, max: 1e8, noNaN: true });
    fc.assert(
      fc.property(first, gaps, (firstMs, gapsMs) => {
        const times = Float64Array.from([0, ...gapsMs]);
        times[0] = firstMs;
        for (let i = 1; i < times.length; i++) times[i] = times[i - 1]! + gapsMs[i - 1]!;
        const line = lineFor(okOutcome({ firstTokenMs: firstMs, tokenAtMs: times }));
        const back = tokenAtMs(JSON.parse(JSON.stringify(line)) as RequestLine);
        expect(back.length).toBe(times.length);
        for (const [i, atMs] of times.entries()) {
          expect(Math.abs(back[i]! - atMs)).toBeLessThan(0.000_51 + atMs * 1e-15);
        }
      }),
    );
  });

  test("a request without a token has no arrival times", () => {
    expect(tokenAtMs(lineFor(errorOutcome()))).toHaveLength(0);
  });
});
