import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findDoneMark, isDoneEvent } from "../../src/stream/done-mark.ts";
import { type SseEvent, SseSplitter } from "../../src/stream/sse.ts";

/** Splits the text, given piece by piece, and ends it cleanly. */
function split(text: string | Buffer, cuts: readonly number[] = []): readonly SseEvent[] {
  const bytes = Buffer.from(text);
  const splitter = new SseSplitter();
  for (const cut of [...cuts].sort((a, b) => a - b)) splitter.scan(bytes, cut);
  splitter.finish(bytes, bytes.length);
  return splitter.events;
}

const datas = (text: string): string[] => split(text).map(({ data }) => data);

describe("lines and fields", () => {
  test.for(["\n", "\r", "\r\n"])("%j ends a line, and a blank line an event", (eol) => {
    const text = ["data: a", "", "data: b", "", ""].join(eol);
    expect(datas(text)).toEqual(["a", "b"]);
  });

  test("S03: with bare CR nothing is lost, not even the last event at the end of the body", () => {
    expect(datas('data: {"a":1}\r\rdata: [DONE]\r\r')).toEqual(['{"a":1}', "[DONE]"]);
    expect(datas('data: {"a":1}\r\rdata: [DONE]\r')).toEqual(['{"a":1}', "[DONE]"]);
  });

  test("mixed line ends, as a gateway makes them", () => {
    expect(datas("data: a\r\n\ndata: b\n\r\ndata: c\r\r\n")).toEqual(["a", "b", "c"]);
  });

  test("one leading space is dropped, not two", () => {
    expect(datas("data:  x\n\ndata:y\n\n")).toEqual([" x", "y"]);
  });

  test("data lines are joined by LF, wherever other fields stand between them", () => {
    expect(datas("data: a\nid: 1\ndata\n: note\ndata: b\n\n")).toEqual(["a\n\nb"]);
  });

  test("comments, unknown fields and blank lines are no events", () => {
    expect(datas(": ping\n\nretry: 5\n\nfoo: bar\n\n\n\ndatax: no\n\n data: no\n\n")).toEqual([]);
  });

  test("the type belongs to its event alone", () => {
    const [first, second] = split("event: error\ndata: a\n\ndata: b\n\n");
    expect([first?.type, second?.type]).toEqual(["error", ""]);
  });

  test("an event without data is none, and its type is forgotten", () => {
    expect(split("event: x\n\ndata: a\n\n")).toMatchObject([{ type: "", data: "a" }]);
  });

  test("a byte order mark in front is dropped, any later one is text", () => {
    expect(datas("\uFEFFdata: a\n\ndata: \uFEFFb\n\n")).toEqual(["a", "\uFEFFb"]);
  });

  test("an error field is kept apart from the data", () => {
    expect(split("error: {}\n\n")).toMatchObject([{ data: "", errorField: "{}" }]);
  });

  test("U+2028, U+2029 and U+0085 end no line", () => {
    expect(datas("data: a\u2028b\u2029c\u0085d\n\n")).toEqual(["a\u2028b\u2029c\u0085d"]);
  });
});

describe("the end of the body", () => {
  test.for([
    ['data: {"a":1}', ['{"a":1}']],
    ['data: {"a":1}\n', ['{"a":1}']],
    ["data: [DONE]", ["[DONE]"]],
    ['data: {"a":', []],
    ["data: [DON", []],
    ["data: 12", []],
    ["event: x", []],
    ["da", []],
    ["", []],
  ] as const)("%j leaves %j", ([text, expected]) => {
    expect(datas(text)).toEqual(expected);
  });

  test("what pends when a stream breaks is no event: only a clean end flushes", () => {
    const bytes = Buffer.from('data: {"a":1}\n');
    const splitter = new SseSplitter();
    splitter.scan(bytes, bytes.length);
    expect(splitter.events).toEqual([]);
  });
});

describe("[DONE]", () => {
  test("nothing behind it is read", () => {
    expect(datas("data: [DONE]\n\ndata: x\n\n")).toEqual(["[DONE]"]);
  });

  test("as the words of the model it is not the end", () => {
    const said = 'data: {"content":"[DONE]"}\n\n';
    expect(datas(`${said}data: x\n\n`)).toEqual(['{"content":"[DONE]"}', "x"]);
  });

  test("it is only the end where it is the whole data of an event", () => {
    expect(datas("data: a\ndata: [DONE]\n\ndata: x\n\n")).toEqual(["a\n[DONE]", "x"]);
  });

  test("a look at its surroundings is right wherever it says yes, and says yes to the usual ones", () => {
    const piece = fc.constantFrom(
      "data: [DONE]",
      "data:[DONE]",
      "[DONE]",
      "data: ",
      "x",
      "\n",
      "\r",
      "\r\n",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const bytes = Buffer.from(pieces.join(""));
        const at = findDoneMark(bytes, 0, bytes.length);
        if (at === -1 || !isDoneEvent(bytes, at, bytes.length)) return;
        const splitter = new SseSplitter();
        splitter.scan(bytes, bytes.length);
        expect(splitter.isDone).toBe(true);
      }),
      { numRuns: 2000 },
    );
    for (const eol of ["\n", "\r", "\r\n"]) {
      const whole = `data: x${eol}${eol}data: [DONE]${eol}${eol}`;
      const bytes = Buffer.from(whole);
      expect(isDoneEvent(bytes, whole.indexOf("["), bytes.length)).toBe(true);
      expect(isDoneEvent(bytes, whole.indexOf("["), bytes.length - eol.length)).toBe(false);
    }
  });

  test("the cheap look finds it across the border of two reads, and not in what is left over", () => {
    const bytes = Buffer.from("data: [DONE]\n\nold [DONE]");
    expect(findDoneMark(bytes, 9, 14)).toBe(6);
    expect(findDoneMark(bytes, 0, 11)).toBe(-1);
    expect(findDoneMark(bytes, 14, 20)).toBe(-1);
  });
});

describe("whatever the bytes", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "data:",
      "data: ",
      "event:",
      "error: ",
      ":",
      "\n",
      "\r",
      "\r\n",
      "\n\n",
      "[DONE]",
    ),
    fc.constantFrom('{"a":1}', "é漢🙂", "\uFEFF", " ", "\u2028"),
    fc.string({ maxLength: 5 }),
  );
  const stream = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));

  test("how they are cut into reads changes nothing", () => {
    const cuts = fc.array(fc.nat(200), { maxLength: 20 });
    fc.assert(
      fc.property(stream, cuts, (text, at) => {
        const bytes = Buffer.from(text);
        expect(
          split(
            bytes,
            at.map((cut) => Math.min(cut, bytes.length)),
          ),
        ).toEqual(split(bytes));
      }),
    );
  });

  test("the events are those of a plain reading of the standard", () => {
    fc.assert(
      fc.property(stream, (text) => {
        const closed = `${text}\n\n`;
        expect(datas(closed)).toEqual(plainReading(closed));
      }),
    );
  });

  test("the events are those of eventsource-parser, up to [DONE]", () => {
    fc.assert(
      fc.property(stream, (text) => {
        const closed = `${text}\n\n`;
        const found = split(closed).filter(({ data }) => data !== "");
        // The standard takes away one mark of the byte order; the other parser is fed without.
        const bare = closed.replace(/^\uFEFF/, "");
        expect(found.map(({ type, data }) => ({ type, data }))).toEqual(otherReading(bare));
      }),
    );
  });

  test("no bytes make it throw", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void split(Buffer.from(bytes))),
    );
  });
});

/** The standard's own steps over the whole text, with this project's error field. */
function plainReading(text: string): string[] {
  const found: string[] = [];
  let data: string[] = [];
  let hasError = false;
  for (const line of text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/)) {
    const [, name = line, value = ""] = /^([^:]*):? ?([\s\S]*)$/.exec(line) ?? [];
    if (line === "") {
      if (data.length > 0 || hasError) found.push(data.join("\n"));
      if (found.at(-1)?.trim() === "[DONE]") return found;
      data = [];
      hasError = false;
    } else if (name === "data") data.push(line.includes(":") ? value : "");
    else if (name === "error") hasError = true;
  }
  return found;
}

/** What another implementation finds; events without data are none to either, and told by one. */
function otherReading(text: string): { type: string; data: string }[] {
  const found: { type: string; data: string }[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (data !== "" && found.at(-1)?.data.trim() !== "[DONE]")
        found.push({ type: event ?? "", data });
    },
  });
  parser.feed(text);
  return found;
}
