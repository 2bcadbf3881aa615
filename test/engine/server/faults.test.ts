import { describe, expect, test } from "vitest";
import type { EngineFault, RequestFault } from "../../../src/engine/server/fault.ts";
import type { RequestOutcome } from "../../../src/stream/request-outcome.ts";
import { streamRequest } from "../../../src/stream/stream-request.ts";
import { parseTarget } from "../../../src/target/parse-target.ts";
import { complete, serveEngine, untilIdle } from "./support/serve-engine.ts";

const BODY = { prompt: "go", max_tokens: 8, ignore_eos: true };

async function outcomeOf(url: string, fields: object = {}): Promise<RequestOutcome> {
  const target = parseTarget(url, { endpoint: "completions" });
  return streamRequest(target, { ...BODY, ...fields }, { idleTimeoutMs: 400 });
}

/** Each fault, and what joulemark's client makes of it. */
const seen: readonly (readonly [RequestFault, object])[] = [
  [
    { kind: "status", status: 429, message: "slow down", retryAfterS: 2 },
    { errorKind: "http_status", httpStatus: 429, errorMessage: "slow down", retryAfterS: 2 },
  ],
  [
    { kind: "status", status: 500 },
    { errorKind: "http_status", httpStatus: 500 },
  ],
  [{ kind: "reset" }, { errorKind: "connection_reset", tokenEventCount: 0 }],
  [{ kind: "reset", afterEvents: 3 }, { errorKind: "connection_reset" }],
  [
    { kind: "close", afterEvents: 3 },
    { errorKind: "truncated", tokenEventCount: 3 },
  ],
  [{ kind: "stall" }, { errorKind: "timeout", timeoutKind: "idle", tokenEventCount: 0 }],
  [
    { kind: "stall", afterEvents: 3 },
    { errorKind: "timeout", tokenEventCount: 3 },
  ],
  // Behind the last token: only the end of the reply is missing.
  [
    { kind: "stall", afterEvents: 99 },
    { errorKind: "timeout", tokenEventCount: 8 },
  ],
  [
    { kind: "stall", afterEvents: 3, forMs: 50 },
    { state: "ok", completionTokens: 8 },
  ],
  [
    { kind: "stall", afterEvents: 99, forMs: 50 },
    { state: "ok", completionTokens: 8 },
  ],
  [
    { kind: "error", afterEvents: 2, message: "CUDA – 错误" },
    { errorKind: "stream_error", errorMessage: "CUDA – 错误", tokenEventCount: 2 },
  ],
  [{ kind: "error" }, { errorKind: "stream_error", tokenEventCount: 0 }],
  [
    { kind: "slow", delayMs: 60 },
    { state: "ok", completionTokens: 8 },
  ],
  [
    { kind: "short", tokens: 3 },
    { state: "ok", completionTokens: 3, finishReason: "stop" },
  ],
  [
    { kind: "garbage", afterEvents: 1 },
    { errorKind: "malformed", tokenEventCount: 8 },
  ],
  [
    { kind: "garbage", text: "<html>é" },
    { errorKind: "malformed", rawEvent: expect.stringContaining("<html>é") },
  ],
  [
    { kind: "usage", factor: 10 },
    { state: "ok", completionTokens: 80 },
  ],
  [
    { kind: "no-usage" },
    { state: "ok", completionTokens: null, estimatedTokens: 8, tokenSource: "absent" },
  ],
  [{ kind: "no-done" }, { state: "ok", completionTokens: 8 }],
  [{ kind: "no-end" }, { errorKind: "truncated" }],
];

describe("a fault that a request asks for", () => {
  test.each(seen)("%j in its body", async (fault, expected) => {
    const server = await serveEngine();
    expect(await outcomeOf(server.url, { fault })).toMatchObject(expected);
    await untilIdle(server);
  });

  test("in a header, as in the body, which goes first", async () => {
    const server = await serveEngine();
    const header = { "x-engine-fault": '{"kind":"status","status":418}' };
    expect((await complete(server, BODY, header)).status).toBe(418);
    const both = { ...BODY, fault: { kind: "short", tokens: 2 } };
    expect((await complete(server, both, header)).json.usage.completion_tokens).toBe(2);
    const wrong = await complete(server, BODY, { "x-engine-fault": "{" });
    expect([wrong.status, wrong.json.error?.param]).toEqual([400, "x-engine-fault"]);
    const unknown = await complete(server, BODY, { "x-engine-fault": '{"kind":"sloth"}' });
    expect([unknown.status, unknown.json.error?.param]).toEqual([400, "fault"]);
  });

  test("delays the first byte by at least what it says", async () => {
    const { url } = await serveEngine();
    const outcome = await outcomeOf(url, { fault: { kind: "slow", delayMs: 150 } });
    expect(outcome.firstByteMs! - outcome.sentMs!).toBeGreaterThanOrEqual(149);
  });

  test("ends a reply that is not streamed in its own way", async () => {
    const server = await serveEngine();
    const ask = (fault: RequestFault) => complete(server, { ...BODY, fault });
    await expect(ask({ kind: "reset" })).rejects.toThrow("fetch failed");
    await expect(ask({ kind: "close" })).rejects.toThrow("fetch failed");
    await expect(ask({ kind: "garbage" })).rejects.toThrow("JSON");
    expect((await ask({ kind: "error", message: "no" })).json.error).toMatchObject({
      message: "no",
    });
    expect((await ask({ kind: "stall", forMs: 30 })).json.usage.completion_tokens).toBe(8);
    expect((await ask({ kind: "no-usage" })).json).not.toHaveProperty("usage");
    expect((await ask({ kind: "no-end" })).json.choices[0]!.finish_reason).toBeNull();
    expect((await ask({ kind: "usage", factor: 0.5 })).json.usage.completion_tokens).toBe(4);
  });
});

describe("a fault of the engine's own", () => {
  /** Which of so many requests, one after the other, were hit. */
  async function hits(count: number, seed: number, ...faults: EngineFault[]): Promise<boolean[]> {
    const server = await serveEngine({ faults, seed, set: { stepBaseMs: 0.1, gatherMs: 0 } });
    const hit: boolean[] = [];
    for (let i = 0; i < count; i++) {
      hit.push((await complete(server, { prompt: "", max_tokens: 1 })).status === 503);
    }
    return hit;
  }

  test("hits the requests from one number up to another", async () => {
    const fault = { kind: "status", status: 503, fromRequest: 2, untilRequest: 4 } as const;
    expect(await hits(6, 1, fault)).toEqual([false, false, true, true, false, false]);
  });

  test("hits a share of the requests, the same ones for the same seed", async () => {
    const fault = { kind: "status", status: 503, share: 0.3 } as const;
    const hit = await hits(200, 5, fault);
    const count = hit.filter(Boolean).length;
    // Binomial, n = 200, p = 0.3: five deviations of 6.5.
    expect(count).toBeGreaterThan(27);
    expect(count).toBeLessThan(93);
    expect(await hits(200, 5, fault)).toEqual(hit);
    expect(await hits(200, 6, fault)).not.toEqual(hit);
  });

  test("gives way to that of the request", async () => {
    const server = await serveEngine({ faults: [{ kind: "status", status: 503 }] });
    const answer = await complete(server, { ...BODY, fault: { kind: "short", tokens: 1 } });
    expect(answer.json.usage.completion_tokens).toBe(1);
  });
});
