import { once } from "node:events";
import { createServer } from "node:net";
import { afterAll, describe, expect, test, vi } from "vitest";
import { nowMs } from "../../src/clock.ts";
import { Connections } from "../../src/stream/connections.ts";
import type { ErrorOutcome, OkOutcome, RequestOutcome } from "../../src/stream/request-outcome.ts";
import { type StreamRequestOptions, streamRequest } from "../../src/stream/stream-request.ts";
import type { RequestTarget } from "../../src/target/request-target.ts";
import {
  type Answer,
  sleep,
  startRawServer,
  type WireRequest,
  write,
} from "./support/raw-server.ts";
import {
  CHUNKED,
  chunk,
  DONE,
  event,
  finish,
  head,
  httpChunk,
  LAST_CHUNK,
  reply,
  token,
  usage,
} from "./support/sse-text.ts";
import { BODY, targetOf, targetWithKey } from "./support/targets.ts";

const connections = new Connections();
afterAll(() => connections.close());

/** One request to a server that answers so. */
async function ask(
  answer: Answer,
  options: StreamRequestOptions & { body?: object; target?: (url: string) => RequestTarget } = {},
): Promise<{ outcome: RequestOutcome; requests: readonly WireRequest[] }> {
  const server = await startRawServer(answer);
  const target = (options.target ?? targetOf)(server.url);
  const outcome = await streamRequest(target, options.body ?? BODY, { connections, ...options });
  await server.close();
  return { outcome, requests: server.requests };
}

const askOk = async (...given: Parameters<typeof ask>): Promise<OkOutcome> => {
  const { outcome } = await ask(...given);
  expect(outcome).toMatchObject({ state: "ok", errorKind: null });
  return outcome as OkOutcome;
};

const askError = async (...given: Parameters<typeof ask>): Promise<ErrorOutcome> => {
  const { outcome } = await ask(...given);
  expect(outcome.state).toBe("error");
  return outcome as ErrorOutcome;
};

const closing =
  (text: string | Buffer): Answer =>
  ({ socket }) =>
    void socket.end(text);

describe("what goes over the wire", () => {
  test("the body as it is, with stream and usage asked for, and identity as encoding", async () => {
    const { requests } = await ask(closing(head() + reply("a")), {
      target: (url) => targetWithKey(`${url}?api-version=1`, "sk-1"),
    });
    const { head: sent, body } = requests[0]!;
    expect(sent.split("\r\n")[0]).toBe("POST /v1/chat/completions?api-version=1 HTTP/1.1");
    expect(sent).toMatch(/^accept-encoding: identity$/m);
    expect(sent).toMatch(/^authorization: Bearer sk-1$/m);
    expect(sent).toMatch(/^host: 127\.0\.0\.1:\d+$/m);
    expect(JSON.parse(body)).toEqual({
      ...BODY,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test("what the caller says of stream and usage stands", async () => {
    const own = { stream: false, prompt: "é" };
    const { requests } = await ask(closing(head()), { body: own });
    expect(JSON.parse(requests[0]!.body)).toEqual(own);
    const without = await ask(closing(head()), { includeUsage: false });
    expect(JSON.parse(without.requests[0]!.body)).toEqual({ ...BODY, stream: true });
  });

  test("S80: a header that would begin another one is refused, and its value not told", async () => {
    const { outcome, requests } = await ask(closing(head()), {
      target: (url) => targetOf(url, { headers: () => ({ "x-key": "SECRET123\r\nx: y" }) }),
    });
    expect(outcome).toMatchObject({ state: "error", errorKind: "client_error", sentMs: null });
    expect(JSON.stringify(outcome)).not.toContain("SECRET123");
    expect(requests).toHaveLength(0);
  });

  test("a body that is no JSON fails here", async () => {
    const outcome = await askError(closing(head()), { body: { n: 1n } });
    expect(outcome.errorKind).toBe("client_error");
  });
});

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
    const echo = `${"x".repeat(1015)}${key} ${key}`;
    const body = JSON.stringify({ error: { message: `bad key ${key}`, code: key }, echo });
    const outcome = await askError(closing(head(503, { "retry-after": "7" }) + body), {
      target: (url) => targetWithKey(url, key),
    });
    expect(outcome).toMatchObject({ errorKind: "http_status", httpStatus: 503, retryAfterS: 7 });
    expect(outcome.errorMessage).toBe("bad key [redacted]");
    expect(outcome.errorBody!.length).toBeLessThanOrEqual(1024);
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

describe("timeouts", () => {
  const pinging: Answer = async ({ socket }) => {
    await write(socket, head(200, CHUNKED) + httpChunk(token("a")));
    while (!socket.destroyed) {
      await write(socket, httpChunk(": ping\n\n"));
      await sleep(20);
    }
  };

  test("S05: comments end silence, and do not lengthen the total", async () => {
    const outcome = await askError(pinging, { timeoutMs: 250, idleTimeoutMs: 150 });
    expect(outcome).toMatchObject({ errorKind: "timeout", timeoutKind: "total", text: "a" });
    expect(outcome.errorMessage).toContain("250 ms");
    expect(outcome.endMs - outcome.startedMs).toBeGreaterThanOrEqual(250);
    expect(outcome.endMs - outcome.startedMs).toBeLessThan(450);
  });

  test("S88: silence before the head is named as such", async () => {
    const outcome = await askError(() => {}, { idleTimeoutMs: 60 });
    expect(outcome).toMatchObject({ errorKind: "timeout", timeoutKind: "idle", httpStatus: null });
    expect(outcome.errorMessage).toMatch(/60 ms, while waiting for a response/);
    expect(outcome.firstByteMs).toBeNull();
  });

  test("0 is none", async () => {
    const late: Answer = async ({ socket }) => {
      await sleep(80);
      socket.end(head() + reply("a"));
    };
    await askOk(late, { timeoutMs: 0, idleTimeoutMs: 0 });
  });

  test("what lies ready when this thread was held up has not timed out", async () => {
    const answer: Answer = async ({ socket }) => {
      await write(socket, head() + token("a"));
      setTimeout(() => {
        socket.end(finish() + DONE);
        // The bytes are with the system now; this thread sleeps past the timeout before it reads.
        const untilMs = nowMs() + 150;
        while (nowMs() < untilMs);
      }, 30);
    };
    await askOk(answer, { idleTimeoutMs: 100 });
  });

  test("an error that the server told before it fell silent is the reason", async () => {
    const answer: Answer = ({ socket }) => void socket.write(head() + event({ error: "gone" }));
    expect((await askError(answer, { idleTimeoutMs: 50 })).errorKind).toBe("stream_error");
  });
});

describe("cancelling", () => {
  test("in mid-stream it settles at once, keeps what came, and frees the socket", async () => {
    const stop = new AbortController();
    const server = await startRawServer(({ socket }) => {
      socket.write(head() + token("a"));
      setTimeout(() => stop.abort(), 60);
    });
    const closed = new Promise<number>((resolve) => {
      const look = setInterval(() => {
        const [socket] = server.accepted;
        if (!socket?.closed) return;
        clearInterval(look);
        resolve(nowMs());
      }, 2);
    });
    let abortedMs = 0;
    stop.signal.addEventListener("abort", () => {
      abortedMs = nowMs();
    });
    const outcome = await streamRequest(targetOf(server.url), BODY, {
      connections,
      signal: stop.signal,
    });
    expect(nowMs() - abortedMs).toBeLessThan(100);
    expect(outcome).toMatchObject({ errorKind: "cancelled", text: "a", tokenEventCount: 1 });
    expect((await closed) - abortedMs).toBeLessThan(100);
    await server.close();
  });

  test("before the start nothing is sent", async () => {
    const { outcome, requests } = await ask(closing(head()), { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ errorKind: "cancelled", sentMs: null });
    expect(requests).toHaveLength(0);
  });

  test("an abort behind the end changes nothing, and no listener is left", async () => {
    const stop = new AbortController();
    const remove = vi.spyOn(stop.signal, "removeEventListener");
    await askOk(closing(head() + reply("a")), { signal: stop.signal });
    expect(remove).toHaveBeenCalled();
    stop.abort();
  });
});

describe("times", () => {
  test("each is taken where it belongs, in order", async () => {
    const answer: Answer = async ({ socket }) => {
      await write(socket, head(200, CHUNKED));
      await sleep(30);
      await write(socket, httpChunk(token("a")));
      await sleep(30);
      socket.end(Buffer.concat([httpChunk(token("b") + finish() + DONE), Buffer.from(LAST_CHUNK)]));
    };
    const outcome = await askOk(answer, { dueMs: 5, connections: new Connections() });
    const { startedMs, connectedMs, sentMs, firstByteMs, firstTokenMs, lastTokenMs, endMs } =
      outcome;
    const inOrder = [
      startedMs,
      connectedMs!,
      sentMs,
      firstByteMs!,
      firstTokenMs!,
      lastTokenMs!,
      endMs,
    ];
    expect(inOrder.toSorted((a, b) => a - b)).toEqual(inOrder);
    expect(firstTokenMs! - firstByteMs!).toBeGreaterThan(25);
    expect([...outcome.tokenAtMs]).toEqual([firstTokenMs, lastTokenMs]);
    expect(outcome).toMatchObject({ dueMs: 5, networkReads: 3, sharedReadEventCount: 0 });
    expect(outcome.remoteAddress).toBe("127.0.0.1");
  });

  test("S68: steps of the wall clock do not touch them", async () => {
    const real = Date.now;
    const stub = vi.spyOn(Date, "now");
    const answer: Answer = async ({ socket }) => {
      await write(socket, head() + token("a"));
      stub.mockImplementation(() => real() - 2000);
      await sleep(50);
      stub.mockImplementation(() => real() + 2000);
      socket.end(token("b") + finish() + DONE);
    };
    const outcome = await askOk(answer);
    stub.mockRestore();
    expect(outcome.lastTokenMs! - outcome.firstTokenMs!).toBeGreaterThan(40);
    expect(outcome.lastTokenMs! - outcome.sentMs).toBeLessThan(500);
  });

  test("S69: replies that end together are parsed one per turn, reads going on between them", async () => {
    const count = 20;
    const big = head() + Array.from({ length: 2000 }, () => token("x")).join("") + finish() + DONE;
    const server = await startRawServer(({ number }) => {
      if (number === count) for (const { socket } of server.requests) socket.end(big);
    });
    const parsedInTurn: number[] = [];
    let turn = 0;
    let isRunning = true;
    const countTurns = (): void => {
      turn++;
      if (isRunning) setImmediate(countTurns);
    };
    countTurns();
    let settled = 0;
    const outcomes = await Promise.all(
      Array.from({ length: count }, async () => {
        const onSettled = (): void => void settled++;
        const outcome = await streamRequest(targetOf(server.url), BODY, { connections, onSettled });
        parsedInTurn.push(turn);
        return outcome;
      }),
    );
    isRunning = false;
    await server.close();
    expect(new Set(parsedInTurn).size).toBe(count);
    expect(settled).toBe(count);
    expect(outcomes.every(({ tokenEventCount }) => tokenEventCount === 2000)).toBe(true);
  });

  test("S69: the stamp is that of the read, also where parsing has to wait", async () => {
    const answer: Answer = async ({ socket }) => {
      await write(socket, head() + token("a") + finish() + DONE);
      socket.end();
    };
    let settledMs = 0;
    const onSettled = (): void => {
      settledMs = nowMs();
      const untilMs = settledMs + 60;
      while (nowMs() < untilMs);
    };
    const outcome = await askOk(answer, { onSettled });
    expect(outcome.firstTokenMs!).toBeLessThanOrEqual(settledMs);
    expect(outcome.endMs).toBeLessThanOrEqual(settledMs);
  });

  test("the first byte of an interim response is not that of the reply", async () => {
    const answer: Answer = async ({ socket }) => {
      await write(socket, "HTTP/1.1 102 Processing\r\n\r\n");
      await sleep(60);
      socket.end(head() + reply("a"));
    };
    const outcome = await askOk(answer);
    expect(outcome.firstByteMs! - outcome.sentMs).toBeGreaterThan(50);
  });

  test("S08, S13: events of one read share its time, and it is said", async () => {
    const outcome = await askOk(closing(head() + reply("a", "b", "c")));
    expect(new Set(outcome.tokenAtMs).size).toBe(1);
    expect(outcome).toMatchObject({ sharedReadEventCount: 3, flags: ["shared_reads"] });
  });

  test("S66: what the server says of its cache and its own times is kept", async () => {
    const usageEvent = event({
      choices: [],
      usage: {
        prompt_tokens: 100,
        completion_tokens: 1,
        prompt_tokens_details: { cached_tokens: 64 },
        completion_tokens_details: { accepted_prediction_tokens: 3 },
      },
      timings: { prompt_n: 36, prompt_ms: 12.5, predicted_n: 1, predicted_ms: 4, cache_n: 64 },
    });
    const outcome = await askOk(closing(head() + token("a") + finish() + usageEvent + DONE));
    expect(outcome).toMatchObject({
      cachedPromptTokens: 64,
      acceptedPredictionTokens: 3,
      serverTimings: { promptMs: 12.5, predictedMs: 4, cachedPromptTokens: 64 },
    });
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

describe("no connection", () => {
  const unused = async (): Promise<string> => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    server.close();
    return `http://127.0.0.1:${port}/v1`;
  };

  test("a refusal names the address and the code", async () => {
    const url = await unused();
    const outcome = await streamRequest(targetOf(url), BODY, { connections });
    expect(outcome).toMatchObject({
      errorKind: "connect_failed",
      errorCode: "ECONNREFUSED",
      sentMs: null,
      httpStatus: null,
    });
    const { port } = new URL(url);
    expect((outcome as ErrorOutcome).errorMessage).toContain(`127.0.0.1 port ${port}`);
  });

  test("a name that does not resolve", async () => {
    const outcome = await streamRequest(targetOf("http://no.such.host.invalid/v1"), BODY, {
      connections,
    });
    expect(outcome).toMatchObject({ errorKind: "connect_failed" });
    expect((outcome as ErrorOutcome).errorMessage).toContain("no.such.host.invalid");
  });

  test("a server that closes without a word has reset the connection", async () => {
    const outcome = await askError(({ socket }) => void socket.end());
    expect(outcome).toMatchObject({ errorKind: "connection_reset", reusedConnection: false });
  });
});
