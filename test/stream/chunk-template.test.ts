import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ChunkTemplate } from "../../src/stream/chunk-template.ts";
import { readWhole } from "./support/read-whole.ts";

const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

type Shape = (text: string, i: number) => string;

/** Chunks as servers write them, and some that nobody should. */
const SHAPES: readonly Shape[] = [
  (text) => `{"id":"c","model":"m","choices":[{"index":0,"delta":{"content":${text}}}]}`,
  (text) => `{"model": "ü", "choices": [{"index": 1, "delta": {"content": ${text}}, "x": null}]}`,
  (text) => `{"choices":[{"index":0,"text":${text},"logprobs":null,"finish_reason":null}]}`,
  (text) => `{"choices":[{"delta":{"reasoning_content":${text}}}]}`,
  (text) => `{"choices":[{"delta":{"reasoning":${text},"reasoning_content":""}}]}`,
  (text) => `{"choices":[{"delta":{"reasoning":${text},"reasoning_content":"same"}}]}`,
  (text) => `{"choices":[{"delta":{"content":"a","content":${text}}}]}`,
  (text) => `{"choices":[{"delta":{"content":${text},"content":"b"}}]}`,
  (text) => `{"choices":[{"delta":{"content":${text},"refusal":"no"}}]}`,
  (text) => `{"choices":[{"delta":{"content":[{"type":"text","text":${text}}]}}]}`,
  (text) => `{"choices":[{"delta":{"content":[{"type":"thinking","text":${text}}]}}]}`,
  (text) => `{"choices":[{"delta":{"content":${text}}},{"index":1,"delta":{"content":"z"}}]}`,
  (text, i) => `{"choices":[{"delta":{"content":${text}}}],"usage":{"completion_tokens":${i}}}`,
  (text) => `{"choices":[{"delta":{"content":${text}},"finish_reason":"length"}]}`,
  (text) => `{"choices":[{"delta":{"content":${text}},"finish_reason":"abort"}]}`,
  (text) => `{"choices":[{"delta":{"content":${text}}}],"error":{"message":"no"}}`,
  (text) => `{"choices":[{"delta":{"content":${text}}}],"timings":{"predicted_n":3}}`,
  (text) => `{"content":"x","a\\"content":"y","choices":[{"delta":{"content":${text}}}]}`,
  (text) => `{"choices":[{"delta":{"content":${text}},"logprobs":{"content":[{"token":"a"}]}}]}`,
  (text) => `{"error":"","content":${text},"choices":[]}`,
  (text) => `{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":${text}}}]}}]}`,
];

const token = fc.oneof(
  { weight: 8, arbitrary: fc.string({ minLength: 1, maxLength: 6 }) },
  { weight: 4, arbitrary: fc.string({ unit: "grapheme", maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom("", "\\", '"', "\n", "\u2028", "[DONE]", "\0", "�") },
);

const change = fc.record({
  event: fc.nat(),
  at: fc.nat(),
  byte: fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(10, 13, 34, 92, 0xe2, 0x5d)),
});

/** The events of a reply: mostly of one shape, some of another, some with a byte that is wrong. */
const reply = fc
  .record({
    shapes: fc.array(fc.nat(SHAPES.length - 1), { minLength: 1, maxLength: 3 }),
    tokens: fc.array(fc.tuple(token, fc.integer({ min: 0, max: 19 })), {
      minLength: 12,
      maxLength: 40,
    }),
    space: fc.constantFrom("data: ", "data:"),
    eol: fc.constantFrom("\n", "\n", "\n", "\r\n", "\r"),
    changes: fc.oneof(fc.constant([]), fc.array(change, { maxLength: 3 })),
  })
  .map(({ shapes, tokens, space, eol, changes }) => {
    const events = tokens.map(([text, other], i) => {
      const shape = SHAPES[shapes[other < 17 ? 0 : other % shapes.length]!]!;
      return Buffer.from(`${space}${shape(JSON.stringify(text), i)}${eol}${eol}`);
    });
    for (const { event, at, byte } of changes) {
      const bytes = events[event % events.length]!;
      // Its end stays: without it the comment in front of the next event would be part of a line.
      bytes[at % (bytes.length - 2 * eol.length)] = byte;
    }
    return [...events, Buffer.from(`data: [DONE]${eol}${eol}`)];
  });

describe("a template", () => {
  test("reads every reply as JSON.parse does, whatever its events hold", () => {
    fc.assert(
      fc.property(reply, (events) => {
        expect(outcomeOf(events)).toEqual(outcomeOf(events.map(commented)));
      }),
      { numRuns: 3000 },
    );
  });

  test.each(SHAPES.slice(0, 5).map((shape) => shape('"a"', 0)))("is made of %s", (data) => {
    const bytes = Buffer.from(`data: ${data}\n\n`);
    expect(ChunkTemplate.from(bytes, 0, bytes.length)).toBeDefined();
  });

  test.each([5, 8, 11, 12, 13, 14, 15, 16].map((i) => SHAPES[i]!('"a"', 1)))(
    "is not made of %s",
    (data) => {
      const bytes = Buffer.from(`data: ${data}\n\n`);
      const template = ChunkTemplate.from(bytes, 0, bytes.length);
      expect(template).toBeUndefined();
    },
  );

  test("matches whole events of its kind only", () => {
    const make = (text: string): Buffer => Buffer.from(`data: ${SHAPES[0]!(text, 0)}\n\n`);
    const first = make('"a"');
    const template = ChunkTemplate.from(first, 0, first.length)!;
    const like = make('" token ü"');
    expect(template.match(like, 0, like.length)).toBe(like.length);
    expect(template.isAscii).toBe(false);
    expect(like.toString("utf8", template.textStart, template.textEnd)).toBe(" token ü");
    for (const text of ['""', '"\\n"', '"\t"', "null", "7"]) {
      const other = make(text);
      expect(template.match(other, 0, other.length)).toBe(-1);
    }
    for (let length = 0; length < like.length; length++) {
      expect(template.match(like, 0, length)).toBe(-1);
    }
  });
});

/** A comment in front of an event keeps a template from reading it; it says nothing. */
function commented(event: Buffer): Buffer {
  return Buffer.concat([Buffer.from(":\n"), event]);
}

/** One read for each event, the head in the first. */
function outcomeOf(events: readonly Buffer[]): object {
  const cuts: number[] = [];
  let at = HEAD.length;
  for (const event of events) {
    at += event.length;
    cuts.push(at);
  }
  return readWhole(Buffer.concat([Buffer.from(HEAD), ...events]), cuts);
}
