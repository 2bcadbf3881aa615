import { request } from "node:http";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EngineServer, startEngineServer } from "../../../src/engine/server/engine-server.ts";
import { complete, serveEngine } from "./support/serve-engine.ts";

let server: EngineServer;
beforeAll(async () => {
  server = await startEngineServer({
    profile: "tiny",
    truth: true,
    set: { stepBaseMs: 0.1, gatherMs: 0, naturalReplyTokens: 3, contextTokens: 500 },
  });
});
afterAll(() => server.close());

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly type: string;
}

/** Node's own client, which sends odder things than `fetch` does. */
function ask(method: string, path: string, body: string, headers: object = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(server.url, { method, path, headers: { ...headers } }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("error", reject).on("end", () =>
        resolve({
          status: response.statusCode!,
          body: text,
          type: String(response.headers["content-type"]),
        }),
      );
    });
    sent.on("error", reject).end(body);
  });
}

/** A reply that is whole, or an envelope that says what the client did wrong; never a bug. */
function expectGood({ status, body, type }: Reply, method: string): void {
  expect([200, 400, 404, 405, 413, 415, 417, 431], body).toContain(status);
  if (method === "HEAD") return;
  if (status === 200) {
    if (type.startsWith("text/event-stream")) expect(body).toMatch(/data: \[DONE\]\n\n$/);
    else if (type === "application/json") JSON.parse(body);
    return;
  }
  const { error } = JSON.parse(body) as { error: Record<string, unknown> };
  expect(Object.keys(error)).toEqual(["message", "type", "param", "code"]);
  expect(typeof error["message"]).toBe("string");
  expect(String(error["message"]).length).toBeLessThan(2000);
}

const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(0, -1, 1, 2, 1e308, -0.5, 2 ** 53, "", "a", [], {}, null, true, [[]], [{}], [-1]),
);
/** Mostly a good value, so that what lies behind it is reached. */
const mostly = (good: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ arbitrary: good, weight: 30 }, { arbitrary: odd, weight: 1 });

const faults = fc.oneof(
  fc.record({ kind: fc.constantFrom("short", "usage", "no-usage", "slow", "x", "valueOf") }),
  fc.record({ kind: fc.constant("short"), tokens: fc.constantFrom(0, 1, 5, 1e9, "2") }),
  fc.record({ kind: fc.constant("slow"), delayMs: fc.constantFrom(0, 1, -1, null) }),
  fc.dictionary(fc.constantFrom("kind", "__proto__", "toString", "constructor"), odd),
);

const fields: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  model: mostly(fc.constant("sim-tiny")),
  messages: mostly(
    fc.array(
      fc.record({
        role: mostly(fc.constantFrom("user", "system")),
        content: mostly(fc.string({ unit: "binary", maxLength: 60 })),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  ),
  prompt: mostly(fc.oneof(fc.string(), fc.array(fc.nat()), fc.array(fc.string()))),
  max_tokens: mostly(fc.integer({ min: 1, max: 30 })),
  max_completion_tokens: mostly(fc.integer({ min: 1, max: 30 })),
  min_tokens: mostly(fc.integer({ min: 0, max: 30 })),
  n: mostly(fc.integer({ min: 1, max: 4 })),
  stop: mostly(
    fc.oneof(fc.string(), fc.array(fc.constantFrom("a", " the", "e", "."), { maxLength: 3 })),
  ),
  seed: mostly(fc.maxSafeInteger()),
  stream: mostly(fc.boolean()),
  stream_options: mostly(
    fc.record({ include_usage: fc.boolean(), continuous_usage_stats: fc.boolean() }),
  ),
  ignore_eos: mostly(fc.boolean()),
  timings_per_token: mostly(fc.boolean()),
  temperature: mostly(fc.double({ min: 0, max: 2, noNaN: true })),
  echo: mostly(fc.constant(false)),
  fault: fc.oneof({ arbitrary: fc.constant(null), weight: 9 }, { arbitrary: faults, weight: 1 }),
};

const bodies = fc.record(fields, { requiredKeys: ["max_tokens", "messages", "prompt"] });
const endpoints = fc.constantFrom("/v1/chat/completions", "/v1/completions");

describe("whatever comes", () => {
  test("as the fields of a body is answered, or refused with an envelope", async () => {
    let whole = 0;
    await fc.assert(
      fc.asyncProperty(endpoints, bodies, async (path, body) => {
        const reply = await ask("POST", path, JSON.stringify(body));
        expectGood(reply, "POST");
        if (reply.status === 200) whole++;
      }),
      { numRuns: 500 },
    );
    // Else it would have tested nothing but refusals.
    expect(whole).toBeGreaterThan(50);
  });

  test("as a body that is no JSON, too", async () => {
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      bodies.map((body) => JSON.stringify(body).slice(0, -1)),
      odd.map((value) => JSON.stringify(value)),
    );
    await fc.assert(
      fc.asyncProperty(endpoints, texts, async (path, text) => {
        const reply = await ask("POST", path, text);
        expectGood(reply, "POST");
        expect(reply.status).toBe(400);
      }),
      { numRuns: 200 },
    );
  });

  test("as method, path, query and headers, too", async () => {
    const known = [
      "/v1/models",
      "/v1/completions",
      "/metrics",
      "/health",
      "/engine",
      "/truth/energy",
    ];
    const part = fc.string({ unit: fc.constantFrom(..."abz/%.?&=+-_~09:@;,*'()!") });
    const path = fc.tuple(fc.constantFrom("/", "//", ...known), part).map(([a, b]) => a + b);
    const methods = fc.constantFrom("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH");
    const header = fc.string({ unit: fc.constantFrom(...'abc{}[]":,019 ;=\u00e9') });
    const headers = fc.dictionary(
      fc.constantFrom("x-engine-fault", "authorization", "accept", "content-type", "cookie"),
      header,
    );
    await fc.assert(
      fc.asyncProperty(methods, path, headers, async (method, target, more) => {
        const body = method === "POST" ? '{"prompt":"a","max_tokens":2}' : "";
        expectGood(await ask(method, target, body, more), method);
      }),
      { numRuns: 300 },
    );
  });

  test("leaves an engine that has nothing to do and has found no bug in itself", () => {
    const { counts, counters } = server.status();
    expect(counts).toMatchObject({ running: 0, waiting: 0, kvTokens: 0 });
    const { finished, failed, cut, abandoned } = counters.ends;
    expect(finished + failed + cut + abandoned).toBeLessThanOrEqual(counters.requests);
  });
});

describe("what is absurd", () => {
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;

  test.each<[string, object | string, string]>([
    ["max_tokens", { prompt: "a", max_tokens: 2 ** 31 }, "max_tokens"],
    ["more tokens than there are", { prompt: "a", max_tokens: 1e15 }, "max_tokens"],
    ["more at least than at most", { prompt: "a", min_tokens: 17 }, "min_tokens"],
    ["n", { prompt: "a", n: 129 }, "n"],
    ["n times prompts", { prompt: Array.from({ length: 1024 }, () => "a"), n: 128 }, "n"],
    ["prompts", { prompt: Array.from({ length: 1025 }, () => "a") }, "prompt"],
    ["a prompt", { prompt: "a ".repeat(5000) }, "max_tokens"],
    ["a prompt of ids", { prompt: Array.from({ length: 5000 }, () => 1) }, "max_tokens"],
    ["stop texts", { prompt: "a", stop: Array.from({ length: 17 }, () => "a") }, "stop"],
    ["depth", `{"prompt":${deep}}`, "prompt"],
    ["a duration", { prompt: "a", fault: { kind: "slow", delayMs: -1 } }, "fault"],
  ])("%s is refused by name", async (_what, body, param) => {
    const { status, json } = await complete(server, body);
    expect([status, json.error?.param]).toEqual([400, param]);
    expect(json.error!.message.length).toBeLessThan(500);
  });

  test("a stop text is as long as it likes, and replies as many as allowed", async () => {
    const stop = "a".repeat(1e6);
    const { status, json } = await complete(server, { prompt: "a", max_tokens: 5, n: 128, stop });
    expect([status, json.choices.length]).toEqual([200, 128]);
  });

  test("stop texts in more tokens than can be looked through are refused", async () => {
    const body = { prompt: "a", n: 128, ignore_eos: true, max_tokens: 400, stop: "x" };
    expect((await complete(server, body)).status).toBe(200);
    const big = await serveEngine();
    const answer = await complete(big, { ...body, max_tokens: 16_000 });
    expect([answer.status, answer.json.error?.param]).toEqual([400, "max_tokens"]);
  });
});
