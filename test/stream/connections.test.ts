import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { nowMs } from "../../src/clock.ts";
import { Connections } from "../../src/stream/connections.ts";
import type { ErrorOutcome, RequestOutcome } from "../../src/stream/request-outcome.ts";
import { streamRequest } from "../../src/stream/stream-request.ts";
import type { RequestTarget } from "../../src/target/request-target.ts";
import { type Answer, type RawServer, sleep, startRawServer, write } from "./support/raw-server.ts";
import { CHUNKED, head, httpChunk, LAST_CHUNK, reply, token } from "./support/sse-text.ts";
import { BODY, targetOf } from "./support/targets.ts";
import { TEST_CERTIFICATE, TEST_KEY } from "./support/test-certificate.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function serve(
  answer: Answer,
  options?: Parameters<typeof startRawServer>[1],
): Promise<RawServer> {
  const server = await startRawServer(answer, options);
  open.push(server);
  return server;
}

function pool(options?: { idleMs: number }): Connections {
  const connections = new Connections(options);
  open.push(connections);
  return connections;
}

function ask(target: RequestTarget | RawServer, connections: Connections): Promise<RequestOutcome> {
  const to = "url" in target ? targetOf(target.url) : target;
  return streamRequest(to, BODY, { connections, idleTimeoutMs: 3000 });
}

const WHOLE = Buffer.concat([
  Buffer.from(head(200, CHUNKED)),
  httpChunk(reply("a")),
  Buffer.from(LAST_CHUNK),
]);

const answerWhole: Answer = ({ socket }) => void socket.write(WHOLE);

describe("keeping connections", () => {
  test("one request after the other goes over one connection", async () => {
    const server = await serve(answerWhole);
    const connections = pool();
    const [first, second] = [await ask(server, connections), await ask(server, connections)];
    expect(first).toMatchObject({ state: "ok", reusedConnection: false });
    expect(second).toMatchObject({ state: "ok", reusedConnection: true, connectedMs: null });
    expect(second.remoteAddress).toBe("127.0.0.1");
    expect(server.accepted).toHaveLength(1);
    expect(connections.counts).toEqual({ opened: 1, reused: 1, lostIdle: 0, failed: 0 });
  });

  test("S15: the end of the framing may come later than [DONE] and keeps the connection", async () => {
    const server = await serve(async ({ socket }) => {
      await write(socket, WHOLE.subarray(0, -LAST_CHUNK.length));
      await sleep(40);
      socket.write(LAST_CHUNK);
    });
    const connections = pool();
    const first = await ask(server, connections);
    expect(first).toMatchObject({ state: "ok" });
    expect(nowMs() - first.endMs).toBeLessThan(30);
    await sleep(80);
    expect(await ask(server, connections)).toMatchObject({ state: "ok", reusedConnection: true });
  });

  test("a request does not wait for a connection that is not free soon", async () => {
    const server = await serve(({ socket }) => void socket.write(WHOLE.subarray(0, -5)));
    const connections = pool();
    await ask(server, connections);
    const second = await ask(server, connections);
    expect(second).toMatchObject({ state: "ok", reusedConnection: false });
    expect(second.sentMs! - second.startedMs).toBeLessThan(100);
  });

  test("one that is never free is closed", async () => {
    const server = await serve(({ socket }) => void socket.write(WHOLE.subarray(0, -5)));
    await ask(server, pool());
    await expect.poll(() => server.accepted[0]!.closed, { timeout: 2000 }).toBe(true);
  });

  test.for([
    [
      "the server wants to close it",
      Buffer.from(`${head(200, { connection: "close" })}${reply("a")}`),
    ],
    ["more bytes came than the reply has", Buffer.concat([WHOLE, Buffer.from("HTTP")])],
  ] as const)("none is kept where %s", async ([, bytes]) => {
    const server = await serve(({ socket }) => void socket.write(bytes));
    const connections = pool();
    await ask(server, connections);
    expect(await ask(server, connections)).toMatchObject({ state: "ok", reusedConnection: false });
    expect(server.accepted).toHaveLength(2);
  });

  test("none is kept that failed, nor drained", async () => {
    const open = Buffer.concat([Buffer.from(head(200, CHUNKED)), httpChunk(token("a"))]);
    const server = await serve(({ socket }) => void socket.write(open));
    await streamRequest(targetOf(server.url), BODY, { connections: pool(), timeoutMs: 60 });
    await expect.poll(() => server.accepted[0]!.closed, { timeout: 300, interval: 5 }).toBe(true);
  });

  test("a request waits a moment for a connection whose reply is over already", {
    retry: 3,
  }, async () => {
    const server = await serve(({ socket }) => {
      socket.write(WHOLE.subarray(0, -LAST_CHUNK.length), () => {
        setTimeout(() => socket.write(LAST_CHUNK), 0);
      });
    });
    const connections = pool();
    const second = await new Promise<RequestOutcome>((resolve) => {
      // The earliest moment at which a load could start its next request.
      const onSettled = (): void => resolve(ask(server, connections));
      void streamRequest(targetOf(server.url), BODY, { connections, onSettled });
    });
    expect(second).toMatchObject({ state: "ok", reusedConnection: true });
    expect(server.accepted).toHaveLength(1);
  });

  test("one that the server closed while it was idle is counted and not used", async () => {
    const server = await serve(answerWhole);
    const connections = pool();
    await ask(server, connections);
    server.accepted[0]!.end();
    await expect.poll(() => connections.counts.lostIdle).toBe(1);
    expect(await ask(server, connections)).toMatchObject({ state: "ok", reusedConnection: false });
  });

  test("one that the server closes on the request is told as it is, and nothing is sent again", async () => {
    const server = await serve(({ socket, number }) => {
      if (number === 1) socket.write(WHOLE);
      else socket.resetAndDestroy();
    });
    const connections = pool();
    await ask(server, connections);
    const second = await ask(server, connections);
    expect(second).toMatchObject({
      state: "error",
      errorKind: "connection_reset",
      reusedConnection: true,
      firstByteMs: null,
      networkReads: 0,
    });
    expect(server.requests).toHaveLength(2);
  });

  test("one that is old is closed without a request", async () => {
    const server = await serve(answerWhole);
    const connections = pool({ idleMs: 30 });
    await ask(server, connections);
    expect(await closes(server)).toBe(true);
    expect(await ask(server, connections)).toMatchObject({ reusedConnection: false });
  });

  test("targets that trust differently share none", async () => {
    const tls = { key: TEST_KEY, cert: TEST_CERTIFICATE };
    const server = await serve(answerWhole, { tls });
    const connections = pool();
    const insecure = targetOf(server.url, { tls: { isInsecure: true } });
    expect(await ask(insecure, connections)).toMatchObject({ state: "ok" });
    const strict = targetOf(server.url, { tls: { isInsecure: false } });
    expect(await ask(strict, connections)).toMatchObject({ errorKind: "connect_failed" });
  });
});

describe("S62: many at once", () => {
  test("none waits for another: 200 requests, 200 connections, one time to first token", async () => {
    const server = await serve(async ({ socket }) => {
      await write(socket, head(200, CHUNKED));
      await sleep(50);
      await write(socket, httpChunk(token("a")));
      await sleep(700);
      socket.write(Buffer.concat([httpChunk(reply("b")), Buffer.from(LAST_CHUNK)]));
    });
    const connections = pool();
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => ask(server, connections)));
    expect(outcomes.every(({ state }) => state === "ok")).toBe(true);
    expect(connections.counts.opened).toBe(200);
    const ttftsMs = outcomes.map(({ firstTokenMs, sentMs }) => firstTokenMs! - sentMs!);
    expect(Math.min(...ttftsMs)).toBeGreaterThan(45);
    expect(Math.max(...ttftsMs)).toBeLessThan(500);
  });
});

describe("ways to connect", () => {
  const tls = { key: TEST_KEY, cert: TEST_CERTIFICATE };

  test("TLS with the CA given", async () => {
    const server = await serve(answerWhole, { tls });
    const connections = pool();
    const target = targetOf(server.url, { tls: { isInsecure: false, caPem: TEST_CERTIFICATE } });
    expect(await ask(target, connections)).toMatchObject({ state: "ok", text: "a" });
    expect(await ask(target, connections)).toMatchObject({ state: "ok", reusedConnection: true });
  });

  test("S77: a certificate of nobody fails at once, with its code", async () => {
    const server = await serve(answerWhole, { tls });
    const outcome = await ask(targetOf(server.url), pool());
    expect(outcome).toMatchObject({
      errorKind: "connect_failed",
      errorCode: "DEPTH_ZERO_SELF_SIGNED_CERT",
    });
    expect((outcome as ErrorOutcome).errorMessage).toContain("self-signed");
  });

  test("TLS broken off in the reply is cut, and its text kept", async () => {
    const server = await serve(
      ({ socket }) => void socket.end(head(200, CHUNKED) + httpChunk(token("a"))),
      {
        tls,
      },
    );
    const outcome = await ask(targetOf(server.url, { tls: { isInsecure: true } }), pool());
    expect(outcome).toMatchObject({ errorKind: "truncated", text: "a" });
  });

  test("TLS against a server without it", async () => {
    const server = await serve(answerWhole);
    const url = server.url.replace("http:", "https:");
    server.accepted.at(0)?.destroy();
    const outcome = await streamRequest(targetOf(url), BODY, {
      connections: pool(),
      timeoutMs: 300,
    });
    expect(["connect_failed", "timeout"]).toContain(outcome.errorKind);
  });

  test("a unix socket", async () => {
    const path = join(mkdtempSync(join(tmpdir(), "joulemark-")), "s.sock");
    const server = await serve(answerWhole, { path });
    const connections = pool();
    const target = targetOf("http://localhost/v1/chat/completions", { socketPath: path });
    expect(await ask(target, connections)).toMatchObject({ state: "ok", remoteAddress: path });
    expect(await ask(target, connections)).toMatchObject({ state: "ok", reusedConnection: true });
    expect(server.accepted).toHaveLength(1);
  });

  test("S74: a name with two families, whichever of them the server is on", async () => {
    for (const host of ["127.0.0.1", "::1"]) {
      const server = await serve(answerWhole, { host });
      const target = targetOf(`http://localhost:${server.port}/v1`);
      expect(await ask(target, pool())).toMatchObject({ state: "ok", remoteAddress: host });
    }
  });

  test("an address that the caller has settled is connected to, and the name still stands in the request", async () => {
    const server = await serve(answerWhole, { host: "127.0.0.1" });
    const url = `http://no-such-host.invalid:${server.port}/v1`;
    const outcome = await ask(targetOf(url, { address: "127.0.0.1" }), pool());
    expect(outcome).toMatchObject({ state: "ok", remoteAddress: "127.0.0.1" });
    expect(server.requests[0]?.head).toContain(`host: no-such-host.invalid:${server.port}`);
  });

  test("a connection that does not come is ended by the timeout, and says so", async () => {
    // It is accepted, and its TLS handshake is never answered.
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const target = targetOf(`https://127.0.0.1:${port}/v1`);
    const outcome = await streamRequest(target, BODY, { connections: pool(), timeoutMs: 80 });
    expect(outcome).toMatchObject({ state: "error", errorKind: "timeout", connectedMs: null });
    silent.close();
  });
});

describe("a program of its own", () => {
  const run = promisify(execFile);
  const dist = new URL("../../dist/stream/stream-request.js", import.meta.url).href;
  const script = (body: string): string => `
    const { streamRequest } = await import(${JSON.stringify(dist)});
    const target = (url) => ({
      requestUrl: new URL(url), endpoint: "chat", headers: () => ({}), redact: (text) => text,
    });
    ${body}`;

  test("ends although connections are kept", async () => {
    const server = await serve(answerWhole);
    const startMs = nowMs();
    const { stdout } = await run(process.execPath, [
      "--input-type=module",
      "-e",
      script(
        `const { state } = await streamRequest(target("${server.url}"), {}); console.log(state);`,
      ),
    ]);
    expect(stdout.trim()).toBe("ok");
    expect(nowMs() - startMs).toBeLessThan(3000);
  });

  test("S85: without files left to open it is the client's error", async () => {
    const server = await serve(async ({ socket }) => {
      await sleep(1500);
      socket.write(WHOLE);
    });
    const body = `const kinds = await Promise.all(Array.from({ length: 100 }, async () => {
      const { state, errorKind, errorCode } = await streamRequest(target("${server.url}"), {});
      return state + " " + errorKind + " " + (errorCode ?? "");
    }));
    console.log(JSON.stringify([...new Set(kinds)].sort()));`;
    const { stdout } = await run("sh", [
      "-c",
      'ulimit -n 64; exec "$0" --input-type=module -e "$1"',
      process.execPath,
      script(body),
    ]);
    expect(JSON.parse(stdout)).toEqual(["error client_error EMFILE", "ok null "]);
  });
});

async function closes(server: RawServer): Promise<boolean> {
  for (let i = 0; i < 100 && !server.accepted[0]!.closed; i++) await sleep(10);
  return server.accepted[0]!.closed;
}
