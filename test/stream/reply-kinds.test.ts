import { afterAll, describe, expect, test } from "vitest";
import type { ErrorOutcome } from "../../src/stream/request-outcome.ts";
import { ask, askError, askOk, closing, connections } from "./support/ask.ts";
import { type Answer, sleep, write } from "./support/raw-server.ts";
import {
  CHUNKED,
  chunk,
  DONE,
  event,
  finish,
  head,
  httpChunk,
  reply,
  token,
  usage,
} from "./support/sse-text.ts";
import { targetWithKey } from "./support/targets.ts";

afterAll(() => connections.close());

describe("the body of the reply", () => {
  const whole = reply("Hello", " world");

  test.for([
    ["its length", `${head(200, { "content-length": String(whole.length) })}${whole}`],
    ["the end of the connection", head() + whole],
    ["HTTP/1.0", `${head()}${whole}`.replace("HTTP/1.1", "HTTP/1.0")],
    ["interim responses before it", `HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n${head()}${whole}`],
    ["trailers", `${head(200, CHUNKED)}${httpChunk(whole)}0\r\nx-sum: 1\r\n\r\n`],
    ["no content-type", `HTTP/1.1 200 OK\r\n\r\n${whole}`],
    ["a wrong content-type", head(200, { "content-type": "application/json" }) + whole],
    ["a byte order mark", `${head()}\uFEFF${whole}`],
    ["S03: bare CR", head() + whole.replaceAll("\n", "\r")],
    ["bare LF in the head", head().replaceAll("\r\n", "\n") + whole],
  ])("with %s", async ([, text]) => {
    const outcome = await askOk(closing(text!));
    expect(outcome).toMatchObject({
      text: "Hello world",
      tokenEventCount: 2,
      completionTokens: 2,
      streamed: true,
      model: "test-model",
    });
  });

  test("S57: in one JSON body has its counts, and no time of a token", async () => {
    const choices = [{ index: 0, message: { content: "Hi" }, finish_reason: "stop" }];
    const body = JSON.stringify({ choices, usage: { prompt_tokens: 1, completion_tokens: 1 } });
    const outcome = await askOk(closing(head(200, { "content-type": "text/event-stream" }) + body));
    expect(outcome).toMatchObject({ text: "Hi", completionTokens: 1, streamed: false });
    expect(outcome).toMatchObject({ firstTokenMs: null, tokenEventCount: 0, tpotMs: null });
    expect(outcome.flags).toEqual(["not_streamed"]);
  });

  test("one JSON body that is no whole reply is not_streamed", async () => {
    const body = JSON.stringify({ choices: [{ index: 0, message: { content: "Hi" } }] });
    expect((await askError(closing(head() + body))).errorKind).toBe("not_streamed");
  });

  test("an error in one JSON body at status 200 is the server's error", async () => {
    const outcome = await askError(closing(`${head()}{"error":{"message":"no model","code":7}}`));
    expect(outcome).toMatchObject({
      errorKind: "stream_error",
      errorMessage: "no model",
      errorCode: 7,
    });
  });

  test.for([
    ["a web page", "<html>\ndata: x\n\n</html>", "text/html", "not_sse"],
    ["plain words", "busy", "text/plain", "not_sse"],
    ["JSON of something else", '{"ok":true}', "application/json", "not_sse"],
    ["nothing", "", "text/event-stream", "empty"],
    ["comments alone", ": ping\n\n: ping\n\n", "text/event-stream", "empty"],
    ["a role and [DONE]", chunk({ role: "assistant" }) + DONE, "text/event-stream", "empty"],
    ["a role alone", chunk({ role: "assistant" }), "text/event-stream", "truncated"],
  ] as const)("%s is no reply", async ([, body, type, kind]) => {
    const outcome = await askError(closing(head(200, { "content-type": type }) + body));
    expect(outcome).toMatchObject({ errorKind: kind, firstTokenMs: null, completionTokens: null });
  });

  test("S51: a model that ends at once has replied, with nothing", async () => {
    const outcome = await askOk(
      closing(head() + chunk({ role: "assistant" }) + finish() + usage(1)),
    );
    expect(outcome).toMatchObject({
      firstTokenMs: null,
      completionTokens: 1,
      flags: ["empty_reply"],
    });
  });

  test.for(["content-encoding", "transfer-encoding"])("a %s is not undone", async (name) => {
    const outcome = await askError(closing(`${head(200, { [name]: "gzip" })}\x1f\x8b...`));
    expect(outcome).toMatchObject({ errorKind: "unsupported_encoding", httpStatus: 200 });
    expect(outcome.errorMessage).toContain("gzip");
  });

  test.for([
    ["another protocol", "SSH-2.0-OpenSSH\r\n"],
    ["a head without end", `HTTP/1.1 200 OK\r\nx: ${"y".repeat(70_000)}`],
    ["a chunk that lies about its size", `${head(200, CHUNKED)}2\r\nabc\r\n`],
  ])("%s is malformed", async ([, text]) => {
    const outcome = await askError(({ socket }) => void socket.write(text!));
    expect(outcome.errorKind).toBe("malformed");
  });

  test("a text that is not kept is null, and counted all the same", async () => {
    const outcome = await askOk(closing(head() + whole), { keepText: false });
    expect(outcome).toMatchObject({ text: null, reasoning: null, completionTokens: 2 });
  });

  test("the partial text of a failed request is kept whatever was asked", async () => {
    const outcome = await askError(closing(head() + token("a")), { keepText: false });
    expect(outcome).toMatchObject({ errorKind: "truncated", text: "a" });
  });
});

describe("refusals", () => {
  test("S80: no key is in what a server echoes, also not across the edge of what is kept", async () => {
    const key = "sk-test-SECRET123";
    const error = { message: `bad key ${key}`, code: key };
    const redacted = JSON.stringify({ error, echo: "" }).replaceAll(key, "[redacted]");
    // The next key begins eight characters before the edge.
    const echo = `${"x".repeat(1024 - redacted.length + 2 - 8)}${key}`;
    const body = JSON.stringify({ error, echo });
    const outcome = await askError(closing(head(503, { "retry-after": "7" }) + body), {
      target: (url) => targetWithKey(url, key),
    });
    expect(outcome).toMatchObject({ errorKind: "http_status", httpStatus: 503, retryAfterS: 7 });
    expect(outcome.errorMessage).toBe("bad key [redacted]");
    expect(outcome.errorBody).toMatch(/x\[redacte$/);
    expect(outcome.errorBody!.length).toBe(1024);
    expect(JSON.stringify(outcome)).not.toMatch(/SECRET|sk-test/);
  });

  test("S80: nor in an error inside a stream, a raw event or the text", async () => {
    const key = "sk-test-SECRET123";
    for (const bad of [event({ error: { message: key } }), `data: ${key}\n\n`]) {
      const outcome = await askError(closing(head() + token(key) + bad), {
        target: (url) => targetWithKey(url, key),
      });
      expect(JSON.stringify(outcome)).not.toContain("SECRET123");
    }
  });

  test("a redirect is not followed, and says where it points", async () => {
    const to = { location: "https://elsewhere/v1", "content-length": "0" };
    const { outcome, requests } = await ask(closing(head(307, to)));
    expect(outcome).toMatchObject({ errorKind: "http_status", httpStatus: 307 });
    expect((outcome as ErrorOutcome).errorMessage).toContain("https://elsewhere/v1");
    expect(requests).toHaveLength(1);
  });

  test.for([
    ['{"object":"error","message":"too long","code":400}', "too long", 400],
    ['{"detail":"Not Found"}', "Not Found", null],
    ['{"error":"model loading"}', "model loading", null],
    ["<h1>Bad Gateway</h1>", "the server answered with status 502", null],
    ["", "the server answered with status 502", null],
  ] as const)("%j is read", async ([body, message, code]) => {
    const outcome = await askError(closing(head(502) + body));
    expect(outcome).toMatchObject({ errorMessage: message, errorCode: code, streamed: null });
  });

  test("an endless one is not waited for", async () => {
    const outcome = await askError(
      ({ socket }) => void socket.write(head(500) + "x".repeat(200_000)),
    );
    expect(outcome).toMatchObject({ errorKind: "http_status", httpStatus: 500 });
  });

  test("S91: nothing is tried twice", async () => {
    const { requests } = await ask(closing(head(429, { "retry-after": "0" })));
    expect(requests).toHaveLength(1);
  });
});

describe("[DONE]", () => {
  test("as words of the model, in every token, it ends nothing", async () => {
    const said = Array.from({ length: 50 }, () => "data: [DONE]\n\n");
    const answer: Answer = async ({ socket }) => {
      await write(socket, head());
      for (const word of said) await write(socket, token(word));
      socket.end(finish() + usage(50) + DONE);
    };
    const outcome = await askOk(answer);
    expect(outcome).toMatchObject({ tokenEventCount: 50, text: said.join("") });
  });

  test("cut into single bytes it ends the reply, with the connection open", async () => {
    const answer: Answer = async ({ socket }) => {
      await write(socket, head() + token("a") + finish());
      for (const byte of DONE) {
        await write(socket, byte);
        await sleep(2);
      }
    };
    const outcome = await askOk(answer);
    expect(outcome.endMs - outcome.sentMs).toBeLessThan(1000);
  });

  test("S55: what is broken behind it takes nothing away", async () => {
    await askOk(closing(`${head(200, CHUNKED) + httpChunk(reply("a"))}rubbish`));
  });

  test("a break before it does, finish_reason or not", async () => {
    const text = head(200, CHUNKED) + httpChunk(token("a") + finish() + usage(1));
    expect((await askError(closing(text))).errorKind).toBe("truncated");
  });
});
