import { describe, expect, onTestFinished, test } from "vitest";
import { startEngineServer } from "../../../src/engine/server/engine-server.ts";
import { rawSocket, wire } from "./support/raw-socket.ts";
import { complete, serveEngine, untilIdle } from "./support/serve-engine.ts";

const one = { prompt: "a", max_tokens: 3, ignore_eos: true };
const statusesIn = (text: string): string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status!);

describe("requests over a raw socket", () => {
  test("several at once on one connection are answered in their order, streamed ones too", async () => {
    const { url } = await serveEngine();
    const raw = await rawSocket({ url });
    const stream = { ...one, stream: true };
    raw.send(
      wire({ ...stream, max_tokens: 9 }) +
        wire(one) +
        wire({ ...stream, fault: { kind: "short", tokens: 2 } }) +
        wire({ prompt: 3 }) +
        wire(one, "connection: close\r\n"),
    );
    const text = await raw.ended();
    expect(statusesIn(text)).toEqual(["200", "200", "200", "400", "200"]);
    const [, first, second, third, , last] = text.split(/HTTP\/1\.1 \d{3}/);
    expect(first!.match(/"text":"[^"]/g)).toHaveLength(9);
    expect(first!).toContain("[DONE]");
    expect(second!).toContain('"completion_tokens":3');
    expect(third!.match(/"text":"[^"]/g)).toHaveLength(2);
    expect(last!).toContain('"completion_tokens":3');
  });

  test("that wait behind another one end with their connection", async () => {
    const server = await serveEngine();
    const raw = await rawSocket(server);
    const stalled = { ...one, stream: true, fault: { kind: "stall" } };
    raw.send(wire(stalled) + wire(stalled) + wire({ ...one, fault: stalled.fault }));
    await raw.until((text) => text.includes("200"));
    await expect.poll(() => server.status().counters.requests).toBe(3);
    raw.socket.destroy();
    await expect.poll(() => server.status().counters.ends.abandoned).toBe(3);
    await untilIdle(server);
  });

  test("that wait behind another one are cut with it, when they are told to", async () => {
    const server = await serveEngine();
    const raw = await rawSocket(server);
    const stalled = { ...one, stream: true, fault: { kind: "stall" } };
    raw.send(wire(stalled) + wire({ ...one, stream: true, fault: { kind: "reset" } }));
    await raw.ended();
    await untilIdle(server);
    expect(server.status().counters.ends).toMatchObject({ cut: 1, abandoned: 1 });
  });

  test("of HTTP/1.0 get a stream without chunks, which its end ends", async () => {
    const { url } = await serveEngine();
    const raw = await rawSocket({ url });
    raw.send(wire({ ...one, stream: true }, "", "1.0"));
    const text = await raw.ended();
    expect(text).not.toMatch(/transfer-encoding/i);
    expect(text.split("\r\n\r\n")[1]).toMatch(/^data: \{/);
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
  });

  test("may have their body in chunks, wait to be told to go on, or come in single bytes", async () => {
    const { url } = await serveEngine();
    const raw = await rawSocket({ url });
    const json = JSON.stringify(one);
    const head = "POST /v1/completions HTTP/1.1\r\nhost: x\r\n";
    const [left, right] = [json.slice(0, 5), json.slice(5)];
    const chunks = [left, right, ""].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`);
    raw.send(`${head}transfer-encoding: chunked\r\n\r\n${chunks.join("")}`);
    await raw.until((text) => text.includes("usage"));
    raw.send(`${head}expect: 100-continue\r\ncontent-length: ${json.length}\r\n\r\n`);
    await raw.until((text) => text.includes("100 Continue"));
    raw.send(json);
    await raw.until((text) => text.split("usage").length === 3);
    for (const byte of wire(one)) {
      raw.send(byte);
      await new Promise(setImmediate);
    }
    await raw.until((text) => text.split("usage").length === 4);
    expect(statusesIn(raw.text())).toEqual(["200", "100", "200", "200"]);
  });
});

describe("what is no good HTTP", () => {
  test.each([
    ["bytes", "\u0000\u0001\u0002 rubbish\r\n\r\n", "400"],
    ["TLS", Buffer.from("16030100a5010000a1", "hex"), "400"],
    ["a method that there is not", "BREW /v1/models HTTP/1.1\r\nhost: x\r\n\r\n", "400"],
    ["two lengths", wire(one, "content-length: 7\r\n"), "400"],
    ["a length with chunks", wire(one, "transfer-encoding: chunked\r\n"), "400"],
    ["a head without end", `GET / HTTP/1.1\r\nx: ${"y".repeat(40_000)}`, "431"],
    ["a tunnel", "CONNECT example.org:443 HTTP/1.1\r\nhost: x\r\n\r\n", "405"],
    ["an expectation", wire(one, "expect: the worst\r\nconnection: close\r\n"), "417"],
    ["a path of slashes", "GET // HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", "404"],
    ["no path", "OPTIONS * HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", "400"],
    ["a host of its own", "GET http://[ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", "400"],
    ["no host", "GET /health HTTP/1.1\r\nconnection: close\r\n\r\n", "400"],
    ["a version", "GET / HTTP/3.7\r\nhost: x\r\n\r\n", "400"],
  ])("%s: gets an envelope, and the server goes on", async (_what, bytes, status) => {
    const { url } = await serveEngine();
    const raw = await rawSocket({ url });
    raw.send(bytes);
    const text = await raw.ended();
    expect(statusesIn(text)).toEqual([status]);
    const { error } = JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4)) as {
      error: Record<string, unknown>;
    };
    expect(Object.keys(error)).toEqual(["message", "type", "param", "code"]);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  test("rubbish behind a request is no part of its reply", async () => {
    const server = await serveEngine();
    const raw = await rawSocket(server);
    raw.send(wire({ ...one, stream: true, max_tokens: 5000 }));
    await raw.until((text) => text.includes("data:"));
    raw.send("rubbish\r\n\r\n");
    expect(statusesIn(await raw.ended())).toEqual(["200"]);
    await untilIdle(server);
  });
});

describe("a request that does not come to its end", () => {
  test("is ended after a while, and a reply that takes longer is not", async () => {
    const options = { profile: "tiny", set: { stepBaseMs: 40 } };
    const server = await startEngineServer(options, { mostMs: 300, checkEveryMs: 50 });
    onTestFinished(() => server.close());
    const long = await rawSocket(server);
    long.send(wire({ ...one, max_tokens: 40, stream: true }, "connection: close\r\n"));
    for (const half of [wire(one).slice(0, -5), wire(one).slice(0, 30)]) {
      const raw = await rawSocket(server);
      raw.send(half);
      expect(statusesIn(await raw.ended())).toEqual(["408"]);
    }
    const text = await long.ended();
    expect(text.match(/"text":"[^"]/g)).toHaveLength(40);
    expect(text).toContain("[DONE]");
  });
});

describe("bodies of 33 MB", () => {
  const text = "x".repeat(33 * 1024 * 1024);

  test("are refused by their length, and the connection goes on", async () => {
    const { url } = await serveEngine();
    const raw = await rawSocket({ url });
    raw.send(wire(text));
    await raw.until((seen) => seen.includes("bytes."));
    raw.send(wire(one));
    await raw.until((seen) => seen.includes("usage"));
    expect(statusesIn(raw.text())).toEqual(["413", "200"]);
  });

  test("are refused in chunks too", async () => {
    const { url } = await serveEngine();
    const raw = await rawSocket({ url });
    raw.send("POST /v1/completions HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n");
    for (let i = 0; i < 33; i++) raw.send(`100000\r\n${text.slice(0, 2 ** 20)}\r\n`);
    raw.send("0\r\n\r\n");
    await raw.until((seen) => seen.includes("bytes."));
    expect(statusesIn(raw.text())).toEqual(["413"]);
  });

  test("that are just short enough are judged by what they hold", async () => {
    const server = await serveEngine();
    const answer = await complete(server, { prompt: "x".repeat(31 * 1024 * 1024) });
    expect(answer.json.error).toMatchObject({ code: "context_length_exceeded" });
    expect((await complete(server, text.slice(0, 31 * 1024 * 1024))).status).toBe(400);
  });
});

describe("a client that vanishes", () => {
  const stream = wire({ ...one, stream: true, max_tokens: 5000 });

  test.each([
    ["before it says anything", "", ""],
    ["in the head", stream.slice(0, 30), ""],
    ["in the body", stream.slice(0, -5), ""],
    ["before the first token", wire({ ...one, stream: true, fault: { kind: "stall" } }), ""],
    ["while its request is slow", wire({ ...one, fault: { kind: "slow", delayMs: 1e9 } }), ""],
    ["in the middle of the stream", stream, "data:"],
    ["before a whole reply", wire({ ...one, max_tokens: 5000 }), ""],
  ])("%s: nothing is left of it", async (_when, bytes, awaited) => {
    const server = await serveEngine();
    for (const how of ["destroy", "resetAndDestroy"] as const) {
      const raw = await rawSocket(server);
      raw.send(bytes);
      await raw.until((text) => text.includes(awaited));
      await new Promise((resolve) => setTimeout(resolve, 20));
      raw.socket[how]();
    }
    await untilIdle(server);
    expect((await complete(server, one)).status).toBe(200);
  });

  test("by never reading: it is cut off before it fills the memory", async () => {
    const server = await serveEngine({
      set: { stepBaseMs: 0.01, stepPerSequenceMs: 0, stepPerKiloContextMs: 0, kvTokens: 8_000_000 },
    });
    const raw = await rawSocket(server);
    raw.socket.pause();
    const usage = { continuous_usage_stats: true };
    const body = { ...one, max_tokens: 16_000, stream: true, n: 64, stream_options: usage };
    raw.send(wire(body));
    await expect.poll(() => server.status().counters.ends.abandoned, { timeout: 15_000 }).toBe(1);
    await untilIdle(server);
    // A million tokens would be 400 MB.
    expect(server.status().counters.tokenEvents).toBeLessThan(300_000);
  });
});
