import { afterAll, describe, expect, test } from "vitest";
import { nowMs } from "../../src/clock.ts";
import { Connections } from "../../src/stream/connections.ts";
import type { RequestOutcome } from "../../src/stream/request-outcome.ts";
import { streamRequest } from "../../src/stream/stream-request.ts";
import { chunkBytes, type Fixture, loadFixtures } from "./support/fixtures.ts";
import { judgedFields } from "./support/judged-fields.ts";
import { type RawServer, sleep, startRawServer, write } from "./support/raw-server.ts";
import { readWhole } from "./support/read-whole.ts";
import { CHUNKED, head, httpChunk, LAST_CHUNK } from "./support/sse-text.ts";
import { targetOf } from "./support/targets.ts";

const fixtures = loadFixtures();
const connections = new Connections();
afterAll(() => connections.close());

/**
 * A time may be early by a turn of the clock and late by a busy machine. It is held against the
 * moment at which the server really wrote: a server that is late itself says nothing of the reader.
 */
const EARLIEST_MS = -8;
const LATEST_MS = 45;

const NOT_JUDGED = new Set(["id", "slug", "endpoint", "confidence", "why", "must_not", "accept"]);
const SETTINGS = new Set(["request", "client_options", "error_kind_accept", "settled_by_ms_max"]);

test("all fixtures are there", () => {
  expect(fixtures).toHaveLength(37);
});

// Once more where the machine held this process up between a write and its read.
describe.concurrent("a fixture replayed as its file says", { retry: 2 }, () => {
  test.for(fixtures)("$name", async (fixture) => {
    const { outcome, sent, settledMs } = await replay(fixture, sendAsWritten);
    expectJudged(fixture, outcome, sent);
    expect(outcome.networkReads).toBeGreaterThan(0);
    const { settled_by_ms_max: settledBy } = fixture.expected;
    if (settledBy !== undefined) {
      expect(settledMs - sent.zeroMs - lateness(sent)).toBeLessThan(settledBy as number);
    }
  });
});

describe.concurrent("the same body in HTTP chunks of one byte", () => {
  const untimed = fixtures.filter(({ chunks }) => chunks === undefined);
  test.for(untimed)("$name", async (fixture) => {
    const { outcome, sent } = await replay(fixture, sendByteChunks);
    expectJudged(fixture, outcome, sent);
  });
});

describe("the same body byte by byte, without a socket", () => {
  const whole = fixtures.filter(({ end, expected }) => end !== "reset" && expected.id !== "S56");
  test.for(whole)("$name", (fixture) => {
    const bytes = Buffer.concat([
      Buffer.from(head(fixture.status, { ...fixture.headers, ...CHUNKED })),
      httpChunk(fixture.body),
      Buffer.from(LAST_CHUNK),
    ]);
    expectJudged(fixture, readWhole(bytes, 1), undefined);
  });
});

type WireRequest = Parameters<Parameters<typeof startRawServer>[0]>[0];

/** When the server wrote what, on the run's clock. */
interface Sent {
  zeroMs: number;
  readonly atMs: Map<number, number>;
}

type Send = (fixture: Fixture, request: WireRequest, sent: Sent) => Promise<void>;

async function replay(
  fixture: Fixture,
  send: Send,
): Promise<{ outcome: RequestOutcome; sent: Sent; settledMs: number }> {
  const sent: Sent = { zeroMs: Number.NaN, atMs: new Map() };
  const server: RawServer = await startRawServer(async (request) => {
    sent.zeroMs = nowMs();
    await send(fixture, request, sent);
  });
  const { request, client_options: client } = fixture.expected;
  const { idle_timeout_ms: idleTimeoutMs } = (client ?? {}) as { idle_timeout_ms?: number };
  const outcome = await streamRequest(
    targetOf(server.url, { endpoint: fixture.expected.endpoint }),
    { model: "test-model", ...(request as object) },
    { connections, ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }) },
  );
  const settledMs = nowMs();
  await server.close();
  return { outcome, sent, settledMs };
}

const sendAsWritten: Send = async (fixture, { socket }, { zeroMs, atMs }) => {
  const { status, headers, chunks, end, body } = fixture;
  const framing = chunks ? CHUNKED : { "content-length": String(body.length) };
  await write(socket, head(status, { ...headers, ...framing }));
  if (chunks === undefined) await write(socket, body);
  for (const chunk of chunks ?? []) {
    await sleep(Math.max(0, zeroMs + chunk.at_ms - nowMs()));
    atMs.set(chunk.at_ms, nowMs());
    await write(socket, httpChunk(chunkBytes(chunk)));
  }
  if (end === "reset") socket.resetAndDestroy();
  else if (end === "clean" && chunks) socket.end(LAST_CHUNK);
  else socket.end();
};

const sendByteChunks: Send = async ({ status, headers, body }, { socket }) => {
  socket.write(head(status, { ...headers, ...CHUNKED }));
  for (const byte of body) socket.write(httpChunk(Buffer.of(byte)));
  socket.end(LAST_CHUNK);
};

/** How far the server fell behind its script at worst. */
function lateness({ zeroMs, atMs }: Sent): number {
  return Math.max(0, ...[...atMs].map(([plannedMs, wroteMs]) => wroteMs - zeroMs - plannedMs));
}

function expectJudged(fixture: Fixture, outcome: RequestOutcome, sent: Sent | undefined): void {
  const { expected } = fixture;
  const fields = judgedFields(outcome);
  for (const [name, value] of Object.entries(expected)) {
    if (NOT_JUDGED.has(name) || SETTINGS.has(name)) continue;
    expect(fields, `${name} is judged`).toHaveProperty(name);
    const isTime = /_ms$|_ms_per_token$/.test(name) && value !== null;
    // Without a socket a time means nothing.
    if (isTime && sent === undefined) continue;
    if (isTime) expectTimes(name, fields[name], value as number | number[], sent!);
    else expect(fields[name], name).toEqual(value);
  }
}

function expectTimes(name: string, actual: unknown, expected: number | number[], sent: Sent): void {
  const actuals = [actual].flat() as number[];
  const expecteds = [expected].flat();
  expect(actuals, name).toHaveLength(expecteds.length);
  const isInterval = !name.includes("_at_");
  const slackMs = isInterval ? lateness(sent) : 0;
  for (const [i, ms] of expecteds.entries()) {
    const dueMs = isInterval ? ms : sent.atMs.get(ms)!;
    const offMs = actuals[i]! - dueMs;
    // A gap can miss by as much as either of its ends.
    expect(offMs, name).toBeGreaterThan(isInterval ? -LATEST_MS - slackMs : EARLIEST_MS);
    expect(offMs, name).toBeLessThan(LATEST_MS + slackMs);
  }
}
