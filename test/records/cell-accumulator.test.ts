import { describe, expect, test } from "vitest";
import { CellAccumulator, type CellRequests } from "../../src/records/cell-accumulator.ts";
import type { RequestLine } from "../../src/records/request-line.ts";
import type { CellPlan } from "../../src/records/run-header.ts";
import { endOf, failedLine, lineOf, planOf } from "./support/lines.ts";

function requestsOf(lines: readonly RequestLine[], plan: Partial<CellPlan> = {}): CellRequests {
  const accumulator = new CellAccumulator(planOf(plan));
  for (const line of lines) accumulator.add(line);
  return accumulator.finish(endOf());
}

describe("the requests of a cell", () => {
  test("tell latencies, tokens and the steady part", () => {
    // The second one: first token after 100 ms, then 20 and 80 ms; 6 tokens in 3 events.
    const second = lineOf(1, 300, { gapsUs: [20_000, 80_000], completionTokens: 6 });
    const found = requestsOf([lineOf(0, 0), second], { concurrency: 1 });
    expect(found.counts).toEqual({ ok: 2, failed: 0, failedByKind: {}, notSent: 0 });
    expect(found.ttftMs).toMatchObject({ n: 2, min: 100, max: 100, mean: 100 });
    expect(found.e2eMs).toMatchObject({ n: 2, mean: 200 });
    // 100 ms over 2 gaps, and over 5.
    expect(found.tpotMs).toMatchObject({ n: 2, min: 20, max: 50 });
    expect(found.itlEventMs).toMatchObject({ n: 4, min: 20, max: 80, mean: 50 });
    // Nobody knows which of the 3 events brought which of the 6 tokens.
    expect(found.itlTokenMs).toBeUndefined();
    expect(found.tokens.whole).toMatchObject({ output: 9, delivered: 9, isEstimated: false });
    expect(found.steady).toEqual({ startMs: 100, endMs: 500 });
    // 2 of the first request, all 6 of the second.
    expect(found.tokens.steady.output).toBe(8);
  });

  test("of a warm-up are not looked at", () => {
    const warm = lineOf(0, 0, { phase: "warm-up" });
    expect(requestsOf([warm]).counts).toMatchObject({ ok: 0, failed: 0 });
    expect(requestsOf([warm]).ttftMs).toBeUndefined();
  });

  test("that failed enter no latency, and are counted by their kind in the order of the names", () => {
    const lines = [
      failedLine(0, 0, { errorKind: "timeout" }),
      failedLine(1, 0, { errorKind: "http_status" }),
      failedLine(2, 0, { errorKind: "timeout", firstTokenMs: 5, tokenEvents: 1 }),
      lineOf(3, 0),
    ];
    const found = requestsOf(lines);
    expect(found.ttftMs).toMatchObject({ n: 1 });
    expect(JSON.stringify(found.counts.failedByKind)).toBe('{"http_status":1,"timeout":2}');
    // The one token of a request that failed later was made, though nobody got it.
    expect(found.tokens.whole).toEqual({
      output: 4,
      delivered: 3,
      isEstimated: true,
      why: { failed_request: 1 },
    });
  });

  test("that were not streamed have a whole time and no first token", () => {
    const found = requestsOf([lineOf(0, 0, { flags: ["not_streamed"] })]);
    expect(found.e2eMs).toMatchObject({ n: 1 });
    expect([found.ttftMs, found.tpotMs, found.itlEventMs]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("tell the gaps of tokens where the server counts along", () => {
    const line = lineOf(0, 0, { completionTokens: 6, tokensByEvent: [1, 1, 4] });
    const { itlTokenMs } = requestsOf([line]);
    // One gap of 50 ms, and four of 12.5 ms.
    expect(itlTokenMs).toMatchObject({ n: 5, min: 12.5, max: 50, mean: 20 });
  });

  test("tell their own decode rates, by the server's times and by ours", () => {
    const serverTimings = { predictedTokens: 3, predictedMs: 60 };
    const found = requestsOf([lineOf(0, 0, { serverTimings })]);
    expect(found.serverTokS).toEqual([50]);
    expect(found.clientTokS).toEqual([20]);
    const none = requestsOf([
      lineOf(0, 0, { serverTimings: { predictedTokens: 3, predictedMs: 0 } }),
    ]);
    expect(none.serverTokS).toEqual([]);
  });
});

describe("tokens of a cell", () => {
  test("whose arrival nobody saw make the sum unknown", () => {
    const { firstTokenMs: _first, gapsUs: _gaps, ...silent } = lineOf(1, 0);
    const { tokens } = requestsOf([lineOf(0, 0), { ...silent, flags: ["not_streamed"] }]);
    expect(tokens.whole).toEqual({ isEstimated: false, why: { no_events: 1 } });
  });

  test("that the server did not count are its events, and marked", () => {
    const { completionTokens: _told, ...untold } = lineOf(1, 0);
    const { tokens } = requestsOf([lineOf(0, 0), untold]);
    expect(tokens.whole).toEqual({
      output: 6,
      delivered: 6,
      isEstimated: true,
      why: { count_not_told: 1 },
    });
    expect(tokens.minCompletion).toBe(3);
  });

  test("of prompts are known only if every reply tells them", () => {
    const { promptTokens: _told, ...untold } = lineOf(1, 0);
    expect(requestsOf([lineOf(0, 0), lineOf(1, 0)]).tokens.prompt).toBe(200);
    expect(requestsOf([lineOf(0, 0), untold]).tokens.prompt).toBeUndefined();
  });

  test("of the cache are shares of each prompt, from the least to the most", () => {
    const lines = [10, 80].map((cachedPromptTokens, i) => lineOf(i, 0, { cachedPromptTokens }));
    const { tokens } = requestsOf(lines);
    expect(tokens.cachedShares).toEqual({ min: 0.1, max: 0.8 });
    expect(tokens.mostCached).toBe(80);
    expect(tokens.cachedPrompt).toBe(90);
    expect(requestsOf([lineOf(0, 0)]).tokens.cachedShares).toBeUndefined();
    const empty = lineOf(0, 0, { promptTokens: 0, cachedPromptTokens: 0 });
    expect(requestsOf([empty]).tokens.cachedShares).toBeUndefined();
  });

  test("short of what was asked for are counted, drafts that were taken added up", () => {
    const lines = [2, 3, 4].map((completionTokens, i) =>
      lineOf(i, 0, { completionTokens, acceptedPredictionTokens: i }),
    );
    const { tokens } = requestsOf(lines);
    expect([tokens.short, tokens.minCompletion, tokens.acceptedDrafts]).toEqual([1, 2, 3]);
    expect(requestsOf([lineOf(0, 0)]).tokens.acceptedDrafts).toBeUndefined();
  });
});
