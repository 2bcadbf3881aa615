import { afterAll, describe, expect, test, vi } from "vitest";
import { nowMs } from "../../src/clock.ts";
import { Connections } from "../../src/stream/connections.ts";
import { streamRequest } from "../../src/stream/stream-request.ts";
import { askOk, closing, connections } from "./support/ask.ts";
import { type Answer, sleep, startRawServer, write } from "./support/raw-server.ts";
import {
  CHUNKED,
  DONE,
  event,
  finish,
  head,
  httpChunk,
  LAST_CHUNK,
  reply,
  token,
} from "./support/sse-text.ts";
import { BODY, targetOf } from "./support/targets.ts";

afterAll(() => connections.close());

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

  test("S69: replies that end together are parsed a few per turn, reads going on between them", async () => {
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
    expect(new Set(parsedInTurn).size).toBeGreaterThan(3);
    expect(settled).toBe(count);
    expect(outcomes.every(({ tokenEventCount }) => tokenEventCount === 2000)).toBe(true);
  });

  test("S69: a long reply is parsed in many turns", async () => {
    const tokens = Array.from({ length: 100_000 }, (_, i) => token(i % 2 ? "x" : "\\n")).join("");
    let turnsAfter = 0;
    let isParsed = false;
    const countTurns = (): void => {
      turnsAfter++;
      if (!isParsed) setImmediate(countTurns);
    };
    const outcome = await askOk(closing(head() + tokens + finish() + DONE), {
      onSettled: countTurns,
    });
    isParsed = true;
    expect(outcome.tokenEventCount).toBe(100_000);
    expect(turnsAfter).toBeGreaterThan(10);
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
