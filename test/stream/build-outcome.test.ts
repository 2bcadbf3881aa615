import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RequestOutcome } from "../../src/stream/request-outcome.ts";
import { loadFixtures } from "./support/fixtures.ts";
import { readWhole } from "./support/read-whole.ts";
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

const streamed = (text: string): RequestOutcome => readWhole(Buffer.from(head() + text), 1e9);

describe("which count is believed", () => {
  test("S28: the last usage, never the sum", () => {
    const running = (n: number): object => ({ usage: { prompt_tokens: 4, completion_tokens: n } });
    const outcome = streamed(
      chunk({ content: "a" }, running(1)) + chunk({ content: "b" }, running(3)) + finish(),
    );
    expect(outcome).toMatchObject({ completionTokens: 3, promptTokens: 4 });
    expect([...outcome.tokensByEvent!]).toEqual([1, 2]);
  });

  test("S38: usage, not the number of events", () => {
    const outcome = streamed(
      token("Hel") + token("lo") + token(" world") + finish() + usage(2) + DONE,
    );
    expect(outcome).toMatchObject({ completionTokens: 2, tokenEventCount: 3, text: "Hello world" });
  });

  test("a usage of 0 beside token events is unknown, not 0", () => {
    expect(streamed(token("a") + finish() + usage(0) + DONE)).toMatchObject({
      completionTokens: null,
      tokenSource: "absent",
      estimatedTokens: 1,
    });
  });

  test("a usage without numbers behind one with numbers takes nothing away", () => {
    const outcome = streamed(
      token("a") + finish() + usage(5) + event({ choices: [], usage: null }) + DONE,
    );
    expect(outcome.completionTokens).toBe(5);
  });

  test("R10: nothing behind [DONE] is read", () => {
    const outcome = streamed(reply("a") + usage(99) + event({ error: "late" }) + token("b"));
    expect(outcome).toMatchObject({ state: "ok", completionTokens: 1, text: "a" });
  });
});

describe("what makes a request fail", () => {
  test.for([
    ["an error event by name", 'event: error\ndata: {"message":"m"}\n\n', "stream_error"],
    ["one without text", "event: error\ndata:\n\n", "stream_error"],
    ["an error envelope", event({ error: { message: "m" } }), "stream_error"],
    ["finish_reason error", finish("error"), "stream_error"],
    ["finish_reason abort", finish("abort"), "aborted"],
    ["an event that is no JSON", "data: oops\n\n", "malformed"],
    ["one that is no object", "data: [1]\n\n", "malformed"],
  ])("%s, whatever comes behind it", ([, bad, kind]) => {
    const outcome = streamed(token("a") + bad + token("b") + finish() + usage(2) + DONE);
    expect(outcome).toMatchObject({ state: "error", errorKind: kind, text: "ab", tpotMs: null });
  });

  test.for([
    ["error: null", event({ choices: [], error: null })],
    ["error: {}", event({ choices: [], error: {} })],
    ["a ping by name", "event: ping\ndata: 12:00\n\n"],
    ["a ping in JSON", event({ type: "ping" })],
    ["null", "data: null\n\n"],
    ["an event without text", "data:\n\n"],
    ["an empty error field", "error:\n\n"],
    ["finish_reason constructor", finish("constructor")],
  ])("%s is no error", ([, harmless]) => {
    expect(streamed(token("a") + harmless + finish() + DONE).state).toBe("ok");
  });

  test("R7: with several choices every one of them has to end", () => {
    const two = (a: string | null, b: string | null): string =>
      chunk({ content: "x" }, {}, { index: 0, finish_reason: a }) +
      chunk({ content: "y" }, {}, { index: 1, finish_reason: b });
    expect(streamed(two("stop", "length")).state).toBe("ok");
    expect(streamed(two("stop", null))).toMatchObject({ errorKind: "truncated" });
    expect(streamed(two("stop", null) + DONE).state).toBe("ok");
  });

  test("a cut event at the end is lost, not an error and not a count", () => {
    const cut = usage(5).slice(0, -20);
    expect(streamed(token("a") + finish() + cut)).toMatchObject({
      state: "ok",
      completionTokens: null,
    });
  });
});

test("tool calls are put together by their index, and rubbish indices are passed over", () => {
  const call = (index: number, fields: object): string =>
    chunk({ tool_calls: [{ index, function: fields }] });
  const outcome = streamed(
    call(1, { name: "g", arguments: "" }) +
      call(0, { name: "f", arguments: "{" }) +
      call(0, { arguments: "}" }) +
      call(1e9, { name: "x" }) +
      call(-1, { name: "x" }) +
      finish("tool_calls"),
  );
  expect(outcome.toolCalls).toEqual([
    { name: "f", arguments: "{}" },
    { name: "g", arguments: "" },
  ]);
});

describe("whatever the bytes", () => {
  const withoutTimes = (outcome: RequestOutcome): object => {
    const times = Object.keys(outcome).filter((key) => key.endsWith("Ms"));
    const rest: Record<string, unknown> = { ...outcome };
    const cut = [...times, "tokenAtMs", "networkReads", "sharedReadEventCount", "flags"];
    for (const key of cut) delete rest[key];
    return rest;
  };
  const responses = loadFixtures().flatMap(({ status, headers, body }) => [
    Buffer.concat([Buffer.from(head(status, headers)), body]),
    Buffer.concat([
      Buffer.from(head(status, { ...headers, ...CHUNKED })),
      ...[0, 1, 2, 3].map((i) => {
        const quarter = Math.ceil(body.length / 4);
        const part = body.subarray(i * quarter, (i + 1) * quarter);
        return part.length === 0 ? Buffer.alloc(0) : httpChunk(part);
      }),
      Buffer.from(LAST_CHUNK),
    ]),
  ]);

  test("how a reply is cut into reads changes nothing but its times", () => {
    const cuts = fc.oneof(
      fc.integer({ min: 1, max: 700 }),
      fc.array(fc.nat(3000), { maxLength: 30 }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...responses), cuts, (response, at) => {
        const cut = typeof at === "number" ? at : at.toSorted((a, b) => a - b);
        expect(withoutTimes(readWhole(response, cut))).toEqual(
          withoutTimes(readWhole(response, 1e9)),
        );
      }),
      { numRuns: 300 },
    );
  });

  test("a token's time is that of the read that completed its event", () => {
    const text = head() + token("a") + token("b") + finish() + DONE;
    const endOf = (part: string): number => text.indexOf(part) + part.length;
    const cuts = [endOf(token("a")) - 1, endOf(token("a")) + 5, endOf(token("b"))];
    expect([...readWhole(Buffer.from(text), cuts).tokenAtMs]).toEqual([1, 2]);
  });

  test("bytes changed, lost or made up never make it throw, and never invent a success's end", () => {
    const change = fc.record({
      at: fc.nat(3000),
      bytes: fc.uint8Array({ maxLength: 8 }),
      drop: fc.nat(40),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...responses),
        fc.array(change, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 500 }),
        (response, changes, step) => {
          let bytes = response;
          for (const { at, bytes: more, drop } of changes) {
            bytes = Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at + drop)]);
          }
          const outcome = readWhole(bytes, step);
          expect(["ok", "error"]).toContain(outcome.state);
          if (outcome.firstTokenMs === null) expect(outcome.tpotMs).toBeNull();
          const numbers = Object.values(outcome).filter((value) => typeof value === "number");
          expect([...numbers, ...outcome.tokenAtMs].every(Number.isFinite)).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  test("JSON of any shape in an event never makes it throw", () => {
    const any = fc.json({ maxDepth: 4 });
    const near = fc.record(
      {
        choices: fc.oneof(
          fc.jsonValue(),
          fc.array(
            fc.record(
              {
                delta: fc.jsonValue(),
                index: fc.jsonValue(),
                finish_reason: fc.jsonValue(),
                logprobs: fc.jsonValue(),
              },
              { requiredKeys: [] },
            ),
          ),
        ),
        usage: fc.jsonValue(),
        error: fc.jsonValue(),
        timings: fc.jsonValue(),
        model: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const text = fc.oneof(
      any,
      near.map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(fc.array(text, { maxLength: 6 }), (events) => {
        const outcome = streamed(events.map((data) => `data: ${data}\n\n`).join("") + DONE);
        expect(["ok", "error"]).toContain(outcome.state);
      }),
      { numRuns: 400 },
    );
  });
});
