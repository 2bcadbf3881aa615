import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type InstantServer,
  startInstantServer,
} from "../../../src/engine/instant/instant-server.ts";

let server: InstantServer;
beforeAll(async () => {
  server = await startInstantServer();
});
afterAll(() => server.close());

async function ask(path: string, body: object): Promise<string> {
  const reply = await fetch(`${server.url}${path}`, { method: "POST", body: JSON.stringify(body) });
  return reply.text();
}

/** The JSON of each event, without the end mark. */
function eventsOf(text: string): {
  choices: { delta?: { content?: string }; text?: string; finish_reason?: string }[];
  usage?: object;
}[] {
  const lines = text.split("\n\n").filter((line) => line !== "");
  expect(lines.at(-1)).toBe("data: [DONE]");
  return lines.slice(0, -1).map((line) => JSON.parse(line.slice("data: ".length)));
}

describe("the instant server", () => {
  test.each([
    ["at once", {}],
    ["many in one write", { events_per_write: 7 }],
    ["paced, together", { every_ms: 5, phase: "together" }],
    ["paced, spread", { every_ms: 5, phase: "spread" }],
  ])(
    "%s: sends as many tokens as asked, each with its send time, then usage and the end",
    async (_how, instant) => {
      const beforeNs = process.hrtime.bigint();
      const text = await ask("/v1/chat/completions", {
        stream: true,
        max_tokens: 20,
        stream_options: { include_usage: true },
        instant,
      });
      const events = eventsOf(text);
      const stamps = events
        .flatMap(({ choices }) => choices[0]?.delta?.content || [])
        .map((content) => BigInt(content.trim()));
      expect(stamps).toHaveLength(20);
      for (const [i, stamp] of stamps.entries())
        expect(stamp).toBeGreaterThanOrEqual(stamps[i - 1] ?? beforeNs);
      expect(stamps.at(-1)).toBeLessThanOrEqual(process.hrtime.bigint());
      expect(events.at(-2)?.choices[0]?.finish_reason).toBe("length");
      expect(events.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 20 } });
    },
  );

  test("completions, and replies that are not streamed", async () => {
    const streamed = eventsOf(await ask("/v1/completions", { stream: true, max_tokens: 3 }));
    expect(streamed.filter(({ choices }) => choices[0]?.text)).toHaveLength(3);
    const whole = JSON.parse(await ask("/v1/chat/completions", { max_tokens: 3 }));
    expect(whole).toMatchObject({
      usage: { completion_tokens: 3 },
      choices: [{ finish_reason: "length" }],
    });
  });

  test("counts what it sees, lists its model, and refuses what is no request", async () => {
    const before = { ...server.seen };
    await ask("/v1/chat/completions", { stream: true, max_tokens: 4 });
    expect(server.seen.requests - before.requests).toBe(1);
    expect(server.seen.eventsSent - before.eventsSent).toBe(4);
    const models = await (await fetch(`${server.url}/v1/models`)).json();
    const model = { id: "instant", object: "model", created: 0, owned_by: "joulemark-engine" };
    expect(models).toEqual({ object: "list", data: [model] });
    const bad = await fetch(`${server.url}/v1/chat/completions`, { method: "POST", body: "{" });
    expect(bad.status).toBe(400);
    expect((await fetch(`${server.url}/nothing`)).status).toBe(404);
  });

  test.each<[string, string, string | null]>([
    ["no JSON", "{", null],
    ["no object", "[]", null],
    ["a negative length", '{"max_tokens":-1}', "max_tokens"],
    ["no length", '{"max_tokens":0}', "max_tokens"],
    ["a length that is a text", '{"max_completion_tokens":"5"}', "max_completion_tokens"],
    ["half a token", '{"max_tokens":1.5}', "max_tokens"],
    ["more than there are", '{"max_tokens":1e9}', "max_tokens"],
    ["a negative pace", '{"instant":{"every_ms":-1}}', "every_ms"],
  ])("refuses %s with the envelope of OpenAI", async (_what, body, param) => {
    const reply = await fetch(`${server.url}/v1/completions`, { method: "POST", body });
    expect(reply.status).toBe(400);
    const { error } = (await reply.json()) as { error: object };
    const message = expect.any(String);
    expect(error).toEqual({ message, type: "invalid_request_error", param, code: null });
  });

  test("knows no other paths", async () => {
    const reply = await fetch(`${server.url}/v1/embeddings`, { method: "POST", body: "{}" });
    expect(reply.status).toBe(404);
    const lost = await (await fetch(`${server.url}/nothing`)).json();
    expect([await reply.json(), lost]).toMatchObject([
      { error: { code: "not_found", param: null } },
      { error: { code: "not_found", type: "invalid_request_error" } },
    ]);
  });

  test("a client that goes away in mid-stream leaves the server as it was", async () => {
    await new Promise<void>((resolve) => {
      const going = request(`${server.url}/v1/chat/completions`, { method: "POST" }, (reply) => {
        reply.once("data", () => {
          going.destroy();
          resolve();
        });
        reply.on("error", () => undefined);
      });
      going.on("error", () => undefined);
      going.end(JSON.stringify({ stream: true, max_tokens: 1000, instant: { every_ms: 5 } }));
    });
    expect(
      eventsOf(await ask("/v1/chat/completions", { stream: true, max_tokens: 2 })).length,
    ).toBeGreaterThan(2);
  });
});
