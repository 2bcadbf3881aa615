import { afterEach, describe, expect, test } from "vitest";
import { nowMs } from "../../src/clock.ts";
import { startInstantServer } from "../../src/engine/instant/instant-server.ts";
import { achievedRate } from "../../src/load/achieved-rate.ts";
import { constantArrivals } from "../../src/load/arrivals.ts";
import type { Ended, RunOrder, ThreadLoop } from "../../src/load/messages.ts";
import { threadRun } from "../../src/load/thread-run.ts";
import { WorkShare } from "../../src/load/work-share.ts";
import { eventGapsMs } from "../../src/stats/inter-token.ts";
import { sortValues } from "../../src/stats/sorted-values.ts";
import { Connections } from "../../src/stream/connections.ts";
import { parseTarget } from "../../src/target/parse-target.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** Runs a loop in this very thread against the instant server. */
async function runHere(
  loop: ThreadLoop,
  total: number,
  { tokens, instant = {} }: { tokens: number; instant?: object },
  meanwhile: (startMs: number) => void = () => undefined,
): Promise<{ ended: Ended[]; startMs: number; endMs: number }> {
  const server = await startInstantServer();
  const connections = new Connections();
  cleanups.push(
    () => server.close(),
    () => connections.close(),
  );
  const startMs = nowMs() + 20;
  const order: RunOrder = {
    kind: "run",
    workload: {
      kind: "bodies",
      name: "test",
      bodies: [{ messages: [{ role: "user", content: "go" }] }],
      outputTokens: tokens,
    },
    settings: { fields: { instant } },
    keepText: false,
    shared: new WorkShare(total).memory,
    total,
    startMs,
    loop,
  };
  const ended: Ended[] = [];
  meanwhile(startMs);
  await threadRun({
    order,
    target: parseTarget(server.url, { model: "instant" }),
    connections,
    signal: new AbortController().signal,
    onEnded: (request) => ended.push(request),
  });
  return { ended, startMs, endMs: nowMs() };
}

describe("an open loop whose thread stands still for half a second", () => {
  test("keeps its due times: late requests go at once, their lag is on the record, the end is not moved", async () => {
    const dueMs = constantArrivals(200, 600);
    const indexes = Int32Array.from(dueMs.keys());
    const { ended, startMs } = await runHere(
      { kind: "open", indexes, dueMs },
      dueMs.length,
      { tokens: 1 },
      (fromMs) => {
        setTimeout(
          () => {
            const untilMs = nowMs() + 500;
            while (nowMs() < untilMs);
          },
          fromMs - nowMs() + 1000,
        );
      },
    );
    expect(ended).toHaveLength(600);
    const byDue = ended.toSorted((a, b) => a.index - b.index);
    for (const { index, outcome } of byDue)
      expect(outcome.dueMs).toBeCloseTo(startMs + dueMs[index]!, 6);
    // About a hundred requests were due while nothing could be sent; the first waited for all of it.
    const lagsMs = byDue.map(({ sendLagMs }) => sendLagMs ?? Number.NaN);
    expect(Math.max(...lagsMs)).toBeGreaterThan(400);
    expect(lagsMs.filter((lagMs) => lagMs > 50).length).toBeGreaterThan(80);
    // None of them pushed the rest back: the last ones are sent when they are due.
    const lastSentMs = Math.max(...byDue.map(({ outcome }) => outcome.sentMs!)) - startMs;
    expect(achievedRate(dueMs, lastSentMs)?.isReached).toBe(true);
    // Latency from the intended time holds the wait, that from the send does not.
    const worst = byDue.find(({ sendLagMs }) => (sendLagMs ?? 0) > 400)!;
    expect(worst.outcome.endMs - worst.outcome.dueMs!).toBeGreaterThan(400);
  });
});

describe("a client that keeps up", () => {
  test("sees the server's own gaps: 64 streams of 100 tokens per second", async () => {
    const { ended } = await runHere({ kind: "closed", slots: 64 }, 64, {
      tokens: 100,
      instant: { every_ms: 10, phase: "spread" },
    });
    const gapsMs = sortValues(ended.flatMap(({ outcome }) => eventGapsMs(outcome.tokenAtMs)));
    expect(gapsMs.length).toBe(64 * 99);
    // Server and client share this thread and its core; the middle gap is the server's all the same.
    expect(gapsMs[gapsMs.length >> 1]).toBeGreaterThan(8);
    expect(gapsMs[gapsMs.length >> 1]).toBeLessThan(12);
  });
});
