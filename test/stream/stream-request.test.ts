import { once } from "node:events";
import { createServer } from "node:net";
import { afterAll, describe, expect, test, vi } from "vitest";
import { nowMs } from "../../src/clock.ts";
import type { ErrorOutcome } from "../../src/stream/request-outcome.ts";
import { streamRequest } from "../../src/stream/stream-request.ts";
import { ask, askError, askOk, closing, connections } from "./support/ask.ts";
import { type Answer, sleep, startRawServer, write } from "./support/raw-server.ts";
import { CHUNKED, DONE, event, finish, head, httpChunk, reply, token } from "./support/sse-text.ts";
import { BODY, targetOf, targetWithKey } from "./support/targets.ts";

afterAll(() => connections.close());

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
      await sleep(30);
      setImmediate(() => {
        socket.end(finish() + DONE);
        // The bytes are with the system now, and this thread sleeps past the timeout before it reads
        // them; behind an immediate the timers come first.
        const untilMs = nowMs() + 150;
        while (nowMs() < untilMs);
      });
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
      socket.write(Buffer.concat([Buffer.from(head(200, CHUNKED)), httpChunk(token("a"))]));
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
