import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { LoadOptions, LoadResult } from "../../../src/load/load-pool.ts";
import type { Ended } from "../../../src/load/messages.ts";
import { tokensInWindow } from "../../../src/stats/tokens-in-window.ts";
import { cleanups } from "../../support/open-rail.ts";

const { LoadPool } = (await import(
  "../../../dist/load/load-pool.js" as string
)) as typeof import("../../../src/load/load-pool.ts");
const { parseTarget } = (await import(
  "../../../dist/target/parse-target.js" as string
)) as typeof import("../../../src/target/parse-target.ts");
const { nowMs } = (await import(
  "../../../dist/clock.js" as string
)) as typeof import("../../../src/clock.ts");

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** What requests may take to end after a cancel, in ms: eight of them were seen to need about 5. */
const CANCEL_MS = 100;

/** What a server saw: when requests came, over which sockets, and how many were open at once. */
interface Seen {
  readonly atMs: number[];
  readonly sockets: Set<unknown>;
  readonly bodies: string[];
  inFlight: number;
  mostInFlight: number;
}

type Answer = (reply: ServerResponse, index: number) => void;

async function serverThat(answer: Answer): Promise<{ url: string; seen: Seen; server: Server }> {
  const seen: Seen = { atMs: [], sockets: new Set(), bodies: [], inFlight: 0, mostInFlight: 0 };
  const server = createServer(async (request, reply) => {
    const index = seen.atMs.push(nowMs()) - 1;
    seen.sockets.add(request.socket);
    seen.mostInFlight = Math.max(seen.mostInFlight, ++seen.inFlight);
    reply.on("close", () => seen.inFlight--);
    let body = "";
    for await (const chunk of request) body += String(chunk);
    seen.bodies.push(body);
    answer(reply, index);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, server };
}

const EVENT = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "x" }, finish_reason: null }] })}\n\n`;
const END = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } })}\n\ndata: [DONE]\n\n`;

/** A stream of two tokens that ends after `afterMs`. */
const good =
  (afterMs: number): Answer =>
  (reply) => {
    reply.writeHead(200, { "content-type": "text/event-stream" });
    reply.write(EVENT);
    setTimeout(() => reply.end(EVENT + END), afterMs);
  };

async function load(
  url: string,
  threads: number,
  options: Omit<LoadOptions, "workload">,
): Promise<{ result: LoadResult; ended: Ended[] }> {
  const pool = await LoadPool.open(parseTarget(url, { model: "m" }), threads);
  cleanups.push(() => pool.close());
  const ended: Ended[] = [];
  const result = await pool.run({
    workload: {
      kind: "synthetic",
      endpoint: "chat",
      series: { seed: 1, words: 20 },
      outputTokens: 2,
    },
    settings: { model: "m" },
    onEnded: (request) => ended.push(request),
    ...options,
  });
  return { result, ended };
}

describe.each([1, 2, 3])("with %d threads", (threads) => {
  test("a closed loop sends exactly its requests, never more at once, over as many sockets", async () => {
    const { url, seen } = await serverThat(good(30));
    const { result, ended } = await load(url, threads, {
      plan: { kind: "closed", concurrency: 7, requests: 50 },
    });
    expect(seen.atMs).toHaveLength(50);
    expect(seen.mostInFlight).toBe(7);
    expect(seen.sockets.size).toBe(7);
    expect(result.counts).toMatchObject({
      ended: 50,
      ok: 50,
      failed: 0,
      connectionsOpened: 7,
      connectionsReused: 43,
    });
    expect(ended.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual([
      ...Array(50).keys(),
    ]);
    expect(new Set(seen.bodies).size).toBe(50);
    expect(result.notSent).toBe(0);
    expect(result.health.threads).toHaveLength(threads);
  });

  test("an open loop sends each request when it was due, whatever the replies do", async () => {
    const { url, seen } = await serverThat(good(400));
    const dueMs = Array.from({ length: 60 }, (_, i) => i * 10);
    const { result, ended } = await load(url, threads, { plan: { kind: "open", dueMs } });
    expect(seen.atMs).toHaveLength(60);
    expect(result.counts.ok).toBe(60);
    for (const { index, outcome } of ended) {
      expect(outcome.dueMs).toBeCloseTo(result.startMs + dueMs[index]!, 6);
      expect(outcome.sentMs! - outcome.dueMs!).toBeGreaterThanOrEqual(0);
    }
    // At the server none came before it was due, so the rate was never above the one asked for.
    for (const [i, atMs] of seen.atMs.toSorted((a, b) => a - b).entries())
      expect(atMs).toBeGreaterThan(result.startMs + dueMs[i]! - 1);
    expect(result.rate?.askedPerS).toBeCloseTo(100, 6);
    // Replies take 400 ms: a loop that waited for them would need 60 × 400 ms.
    expect(seen.mostInFlight).toBeGreaterThan(10);
  });
});

describe("a run that does not go as planned", () => {
  test("ends its requests within 100 ms of its signal, with what they have, and frees its sockets", async () => {
    const { url, seen } = await serverThat((reply) => {
      reply.writeHead(200, { "content-type": "text/event-stream" });
      reply.write(EVENT);
    });
    const stop = new AbortController();
    let abortedMs = 0;
    void expect
      .poll(() => seen.inFlight, { timeout: 20_000 })
      .toBe(8)
      .then(() => new Promise((resolve) => setTimeout(resolve, 300)))
      .then(() => {
        abortedMs = nowMs();
        stop.abort();
      });
    const { result, ended } = await load(url, 2, {
      plan: { kind: "closed", concurrency: 8, requests: 20 },
      signal: stop.signal,
    });
    for (const { outcome } of ended) expect(outcome.endMs - abortedMs).toBeLessThan(CANCEL_MS);
    expect(result).toMatchObject({ stopped: "interrupted", notSent: 12 });
    expect(result.counts).toMatchObject({ ended: 8, ok: 0, failed: 8, cancelled: 8 });
    for (const { outcome } of ended)
      expect(outcome).toMatchObject({ state: "error", tokenEventCount: 1 });
    await expect.poll(() => seen.inFlight).toBe(0);
  });

  test("503, resets, stalls and lies are counted as what they are, and none is tried again", async () => {
    const { url, seen } = await serverThat((reply, index) => {
      if (index % 4 === 0)
        reply.writeHead(503, { "retry-after": "1" }).end('{"error":{"message":"busy"}}');
      else if (index % 4 === 1) reply.socket?.resetAndDestroy();
      else if (index % 4 === 2)
        reply.writeHead(200, { "content-type": "text/event-stream" }).write(EVENT);
      else reply.writeHead(200, { "content-type": "text/html" }).end("<html>fine</html>");
    });
    const { result } = await load(url, 1, {
      plan: { kind: "closed", concurrency: 1, requests: 8 },
      idleTimeoutMs: 200,
    });
    expect(seen.atMs).toHaveLength(8);
    expect(result.counts).toMatchObject({
      ok: 0,
      failed: 8,
      failedByKind: { http_status: 2, connection_reset: 2, timeout: 2, not_sse: 2 },
    });
  });

  test("stops when the first requests all fail, and says so", async () => {
    const { url, seen } = await serverThat((reply) => reply.writeHead(404).end("{}"));
    const { result } = await load(url, 2, {
      plan: { kind: "closed", concurrency: 4, requests: 100_000 },
      stopAfterFirstFailures: 20,
    });
    expect(result.stopped).toBe("first_requests_failed");
    expect(seen.atMs.length).toBeLessThan(2000);
    expect(result.counts.ok).toBe(0);
  });

  test("stops when the server is gone, or answers nothing but errors any more", async () => {
    const inARow = { stopAfterFailuresInARow: { unconnected: 8, any: 50 } };
    const plan = { kind: "closed", concurrency: 4, durationMs: 60_000 } as const;
    const gone = await serverThat((reply, index) => {
      if (index < 30) good(1)(reply, index);
      else {
        gone.server.close();
        gone.server.closeAllConnections();
      }
    });
    const first = await load(gone.url, 2, { plan, ...inARow });
    expect(first.result).toMatchObject({
      stopped: "target_gone",
      failure: expect.stringContaining("ECONNREFUSED"),
    });
    expect(first.result.counts.ok).toBeGreaterThan(20);
    expect(first.result.counts.failed).toBeLessThan(500);
    const failing = await serverThat((reply, index) =>
      index < 30 ? good(1)(reply, index) : reply.writeHead(500).end("{}"),
    );
    const second = await load(failing.url, 2, { plan, ...inARow });
    expect(second.result.stopped).toBe("requests_keep_failing");
    expect(second.result.lastFailure).toMatchObject({ errorKind: expect.any(String) });
  });

  test("a server that is not there fails every request of the plan, one by one", async () => {
    const { url, server } = await serverThat(good(5));
    await new Promise((resolve) => server.close(resolve));
    const { result } = await load(url, 2, {
      plan: { kind: "closed", concurrency: 3, requests: 12 },
    });
    expect(result.counts).toMatchObject({
      ok: 0,
      failed: 12,
      failedByKind: { connect_failed: 12 },
    });
    expect(result.notSent).toBe(0);
  });

  test("a duration starts no request after it, and waits for those in flight", async () => {
    const { url } = await serverThat(good(50));
    const { result, ended } = await load(url, 2, {
      plan: { kind: "closed", concurrency: 4, durationMs: 300 },
    });
    expect(result.counts.failed).toBe(0);
    expect(result.notSent).toBe(0);
    for (const { outcome } of ended)
      expect(outcome.sentMs!).toBeLessThan(result.startMs + 300 + 50);
  });

  test("one pool runs one plan after the other over the same connections", async () => {
    const { url, seen } = await serverThat(good(5));
    const pool = await LoadPool.open(parseTarget(url, { model: "m" }), 1);
    cleanups.push(() => pool.close());
    const workload = { kind: "code", endpoint: "chat", outputTokens: 2 } as const;
    for (const requests of [3, 4]) {
      const { counts } = await pool.run({
        plan: { kind: "closed", concurrency: 1, requests },
        workload,
      });
      expect(counts.ok).toBe(requests);
    }
    expect(seen.sockets.size).toBe(1);
  });

  test("more streams than files may be open is told before the start", async () => {
    const { url, seen } = await serverThat(good(5));
    await expect(
      load(url, 1, { plan: { kind: "closed", concurrency: 100_000_000, requests: 1 } }),
    ).rejects.toMatchObject({ code: "bad_option" });
    expect(seen.atMs).toHaveLength(0);
  });

  test("a reply that nothing was made for is a failed request, and ends neither thread nor run", async () => {
    const deep = `{"detail":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
    const { url } = await serverThat((reply, index) => {
      if (index === 3) reply.writeHead(400).end(deep);
      else good(1)(reply, index);
    });
    const { result } = await load(url, 2, {
      plan: { kind: "closed", concurrency: 2, requests: 10 },
    });
    expect(result.counts).toMatchObject({ ok: 9, failed: 1 });
    expect(result).not.toHaveProperty("stopped");
  });

  test("one pool does one run at a time, and a workload that is none is told before anything is sent", async () => {
    const { url, seen } = await serverThat(good(100));
    const pool = await LoadPool.open(parseTarget(url, { model: "m" }), 1);
    cleanups.push(() => pool.close());
    const workload = { kind: "code", endpoint: "chat", outputTokens: 2 } as const;
    const plan = { kind: "closed", concurrency: 1, requests: 2 } as const;
    for (const wrong of [{ kind: "zzz" }, { kind: "bodies", name: "none", bodies: [] }])
      await expect(pool.run({ plan, workload: wrong as typeof workload })).rejects.toMatchObject({
        code: "bad_option",
      });
    expect(seen.atMs).toHaveLength(0);
    const one = pool.run({ plan, workload });
    await expect.poll(() => seen.atMs.length).toBe(1);
    await expect(pool.run({ plan, workload })).rejects.toMatchObject({ code: "bad_option" });
    expect((await one).counts.ok).toBe(2);
  });

  test("a pool that is closed in mid-run gives what it has", async () => {
    const { url, seen } = await serverThat((reply, index) => {
      if (index < 4) good(1)(reply, index);
    });
    const pool = await LoadPool.open(parseTarget(url, { model: "m" }), 2);
    const running = pool.run({
      plan: { kind: "closed", concurrency: 2, requests: 100 },
      workload: { kind: "code", endpoint: "chat", outputTokens: 2 },
    });
    await expect.poll(() => seen.atMs.length).toBe(6);
    await pool.close();
    expect(await running).toMatchObject({
      stopped: "interrupted",
      counts: { ok: 4, cancelled: 2 },
    });
  });

  test("what the caller's own function throws ends the run with it", async () => {
    const { url } = await serverThat(good(1));
    const boom = new Error("boom");
    const onEnded = (): void => {
      throw boom;
    };
    const plan = { kind: "closed", concurrency: 1, requests: 1000 } as const;
    await expect(load(url, 1, { plan, onEnded })).rejects.toBe(boom);
  });

  test("an open loop far beyond what can be sent still reads its replies and obeys its signal", async () => {
    const { url, seen } = await serverThat(good(1));
    const stop = new AbortController();
    const dueMs = Array.from({ length: 20_000 }, (_, i) => i / 50);
    void expect
      .poll(() => seen.atMs.length, { timeout: 30_000 })
      .toBeGreaterThan(300)
      .then(() => stop.abort());
    const { result } = await load(url, 1, { plan: { kind: "open", dueMs }, signal: stop.signal });
    expect(result.stopped).toBe("interrupted");
    expect(result.counts.ok).toBeGreaterThan(0);
    expect(result.notSent).toBeGreaterThan(0);
  });

  test("a signal that comes before the order does stops the run before it starts", async () => {
    const { url } = await serverThat(good(1));
    const stop = new AbortController();
    const dueMs = Array.from({ length: 300 }, (_, i) => i * 10);
    const running = load(url, 1, { plan: { kind: "open", dueMs }, signal: stop.signal });
    stop.abort();
    await expect(running).rejects.toThrow();
  });
});

describe("what a run says of its requests", () => {
  test("S64: failed requests are in no throughput and no latency, and stand beside them", async () => {
    const { url } = await serverThat((reply, index) => {
      if (index % 2 === 1) reply.writeHead(500).end("{}");
      else {
        reply.writeHead(200, { "content-type": "text/event-stream" });
        reply.end(
          EVENT.repeat(100) + END.replace('"completion_tokens":2', '"completion_tokens":100'),
        );
      }
    });
    const { result, ended } = await load(url, 1, {
      plan: { kind: "closed", concurrency: 1, requests: 10 },
    });
    expect(result.counts).toMatchObject({ ok: 5, failed: 5, failedByKind: { http_status: 5 } });
    const requests = ended.map(({ outcome }) => ({
      eventTimesMs: outcome.tokenAtMs,
      completionTokens: outcome.completionTokens,
      isSuccess: outcome.state === "ok",
    }));
    // Over a window of 10 s: 50 tokens per second and 0.5 requests per second.
    expect(tokensInWindow(requests, result.startMs - 1, result.startMs + 9999).delivered).toBe(500);
    expect(ended.filter(({ outcome }) => outcome.state === "ok")).toHaveLength(5);
  });

  test("S65: a warm-up is a run of its own: over before the next begins, and in none of its figures", async () => {
    const { url, seen } = await serverThat((reply, index) =>
      good(index < 3 ? 600 : 10)(reply, index),
    );
    const pool = await LoadPool.open(parseTarget(url, { model: "m" }), 2);
    cleanups.push(() => pool.close());
    const workload = { kind: "code", endpoint: "chat", outputTokens: 2 } as const;
    const warmUp = await pool.run({
      plan: { kind: "closed", concurrency: 3, requests: 3 },
      workload,
    });
    expect(seen.inFlight).toBe(0);
    const e2eMs: number[] = [];
    const measured = await pool.run({
      plan: { kind: "closed", concurrency: 3, requests: 30 },
      workload,
      onEnded: ({ outcome }) => e2eMs.push(outcome.endMs - outcome.sentMs!),
    });
    expect(measured.startMs).toBeGreaterThan(warmUp.endMs);
    expect(measured.counts).toMatchObject({ ok: 30, ended: 30 });
    expect(Math.max(...e2eMs)).toBeLessThan(600);
  });
});
