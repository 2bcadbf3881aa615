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

/** A time may be early by a turn of the clock and late by a busy machine. */
const EARLIEST_MS = -8;
const LATEST_MS = 45;

const NOT_JUDGED = new Set(["id", "slug", "endpoint", "confidence", "why", "must_not", "accept"]);
const SETTINGS = new Set(["request", "client_options", "error_kind_accept", "settled_by_ms_max"]);

test("all fixtures are there", () => {
  expect(fixtures).toHaveLength(37);
});

describe.concurrent("a fixture replayed as its file says", () => {
  test.for(fixtures)("$name", async (fixture) => {
    const { outcome, zeroMs, settledMs } = await replay(fixture, sendAsWritten);
    expectJudged(fixture, outcome, zeroMs);
    expect(outcome.networkReads).toBeGreaterThan(0);
    const { settled_by_ms_max: settledBy } = fixture.expected;
    if (settledBy !== undefined) expect(settledMs - zeroMs).toBeLessThan(settledBy as number);
  });
});

describe.concurrent("the same body in HTTP chunks of one byte", () => {
  const untimed = fixtures.filter(({ chunks }) => chunks === undefined);
  test.for(untimed)("$name", async (fixture) => {
    const { outcome, zeroMs } = await replay(fixture, sendByteChunks);
    expectJudged(fixture, outcome, zeroMs);
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

type Send = (
  fixture: Fixture,
  server: Parameters<Parameters<typeof startRawServer>[0]>[0],
) => Promise<void>;

async function replay(
  fixture: Fixture,
  send: Send,
): Promise<{ outcome: RequestOutcome; zeroMs: number; settledMs: number }> {
  let zeroMs = Number.NaN;
  const server: RawServer = await startRawServer(async (request) => {
    zeroMs = nowMs();
    await send(fixture, request);
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
  return { outcome, zeroMs, settledMs };
}

const sendAsWritten: Send = async ({ status, headers, chunks, end, body }, { socket }) => {
  const startMs = nowMs();
  const framing = chunks ? CHUNKED : { "content-length": String(body.length) };
  await write(socket, head(status, { ...headers, ...framing }));
  if (chunks === undefined) await write(socket, body);
  for (const chunk of chunks ?? []) {
    await sleep(Math.max(0, startMs + chunk.at_ms - nowMs()));
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

function expectJudged(fixture: Fixture, outcome: RequestOutcome, zeroMs: number | undefined): void {
  const { expected } = fixture;
  const fields = judgedFields(outcome, zeroMs ?? 0);
  for (const [name, value] of Object.entries(expected)) {
    if (NOT_JUDGED.has(name) || SETTINGS.has(name)) continue;
    expect(fields, `${name} is judged`).toHaveProperty(name);
    const isTime = /_ms$|_ms_per_token$/.test(name) && value !== null;
    // Without a socket a time means nothing.
    if (isTime && zeroMs === undefined) continue;
    if (isTime) expectTimes(name, fields[name], value as number | number[]);
    else expect(fields[name], name).toEqual(value);
  }
}

function expectTimes(name: string, actual: unknown, expected: number | number[]): void {
  const actuals = [actual].flat() as number[];
  const expecteds = [expected].flat();
  expect(actuals, name).toHaveLength(expecteds.length);
  // A gap or a mean of gaps can miss by as much as both of its ends.
  const isInterval = !name.includes("_at_");
  for (const [i, ms] of expecteds.entries()) {
    const offMs = actuals[i]! - ms;
    expect(offMs, name).toBeGreaterThan(isInterval ? -LATEST_MS : EARLIEST_MS);
    expect(offMs, name).toBeLessThan(LATEST_MS);
  }
}
