import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HttpReader } from "../../src/stream/http-reader.ts";
import { httpChunk } from "./support/sse-text.ts";

interface Read {
  readonly reader: HttpReader;
  readonly body: string;
}

/** Feeds the text in pieces of `step` bytes. */
function read(text: string | Buffer, step = Number.POSITIVE_INFINITY): Read {
  const parts: Buffer[] = [];
  const reader = new HttpReader({
    append: (source, from, to) => void parts.push(Buffer.from(source.slice(from, to))),
  });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += step) {
    const piece = bytes.subarray(at, Math.min(bytes.length, at + step));
    reader.push(piece, piece.length);
  }
  return { reader, body: Buffer.concat(parts).toString() };
}

const head = (...lines: string[]): string =>
  `${["HTTP/1.1 200 OK", ...lines].join("\r\n")}\r\n\r\n`;
const CHUNKED = head("Transfer-Encoding: chunked");

describe("how a body ends", () => {
  test("by its length", () => {
    const { reader, body } = read(`${head("Content-Length: 3")}abc`);
    expect([body, reader.isComplete, reader.hasExcess]).toEqual(["abc", true, false]);
  });

  test("by its last chunk, with extensions, trailers and bare LF passed over", () => {
    const text = `${CHUNKED}3;x="y"\r\nabc\r\nA \nde\r\nfghijk\n0\r\nX-Sum: 1\r\n\r\n`;
    const { reader, body } = read(text);
    expect([body, reader.isComplete]).toEqual(["abcde\r\nfghijk", true]);
  });

  test("by the end of the connection", () => {
    const { reader, body } = read(`${head()}abc`);
    expect(reader.isOver).toBe(false);
    expect([body, reader.finish(), reader.head?.isKeptAlive]).toEqual(["abc", "complete", false]);
  });

  test.for([204, 304])("status %i has none", (status) => {
    const { reader } = read(`HTTP/1.1 ${status} X\r\nContent-Length: 5\r\n\r\n`);
    expect(reader.isComplete).toBe(true);
  });

  test("a length beside chunks is not believed", () => {
    const { reader, body } = read(
      `${head("Content-Length: 99", "Transfer-Encoding: chunked")}1\r\na\r\n0\r\n\r\n`,
    );
    expect([body, reader.isComplete]).toEqual(["a", true]);
  });

  test("bytes beyond the end are told, they belong to no request", () => {
    expect(read(`${head("Content-Length: 1")}abc`).reader.hasExcess).toBe(true);
  });

  test.for([
    ["", "nothing"],
    ["HTTP/1.1 200", "cut"],
    ["HTTP/1.1 100 Continue\r\n\r\n", "cut"],
    [`${head("Content-Length: 4")}abc`, "cut"],
    [`${CHUNKED}3\r\nab`, "cut"],
    [`${CHUNKED}3\r\nabc\r\n`, "cut"],
    [`${CHUNKED}0\r\n`, "cut"],
    [`${CHUNKED}0\r\n\r\n`, "complete"],
  ] as const)("the connection ending behind %j leaves it %s", ([text, expected]) => {
    expect(read(text).reader.finish()).toBe(expected);
  });
});

describe("the head", () => {
  test("interim responses are passed over, however many", () => {
    const interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n";
    const { reader, body } = read(`${interim}${head("Content-Length: 1")}a`);
    expect([reader.head?.status, body]).toEqual([200, "a"]);
  });

  test("names are without case, repeated values joined, folded lines unfolded", () => {
    const { reader } = read(head("X-A: 1", "x-a: 2", "X-B: a", "\t b", "Content-Length: 0"));
    expect(reader.head?.headers.get("x-a")).toBe("1, 2");
    expect(reader.head?.headers.get("x-b")).toBe("a b");
  });

  test.for([
    ["HTTP/1.1", "", true],
    ["HTTP/1.1", "Connection: Close", false],
    ["HTTP/1.0", "", false],
    ["HTTP/1.0", "Connection: keep-alive", true],
  ] as const)("%s with %j keeps the connection: %s", ([version, line, expected]) => {
    const lines = [`${version} 200 OK`, "Content-Length: 0", ...(line === "" ? [] : [line])];
    expect(read(`${lines.join("\r\n")}\r\n\r\n`).reader.head?.isKeptAlive).toBe(expected);
  });

  test.for([
    ["Content-Encoding: gzip", ["gzip"]],
    ["Content-Encoding: identity", []],
    ["Transfer-Encoding: gzip, chunked", ["gzip"]],
    ["Content-Encoding: br, zstd", ["br", "zstd"]],
  ] as const)("%j needs undoing: %j", ([line, codings]) => {
    expect(read(head(line)).reader.head?.codings).toEqual(codings);
  });

  test("a length given twice alike is one length", () => {
    expect(read(`${head("Content-Length: 2, 2")}ab`).reader.isComplete).toBe(true);
  });
});

describe("what is not HTTP/1 is broken, not thrown", () => {
  test.for([
    ["SSH-2.0-OpenSSH_9.2\r\n"],
    ["\x15\x03\x01\x00\x02"],
    ["HTTP/2 200\r\n\r\n"],
    ["HTTP/1.1 2x0 OK\r\n\r\n"],
    [head("no colon here")],
    [head(": no name")],
    [head("Content-Length: 1, 2")],
    [head("Content-Length: -1")],
    [head("Content-Length: 1e3")],
    [head("Content-Length: 99999999999999999999")],
    [`${CHUNKED}xyz\r\n`],
    [`${CHUNKED}\r\nabc`],
    [`${CHUNKED}3\rabc`],
    [`${CHUNKED}3\r\nabcd\r\n`],
    [`${CHUNKED}3\r\nabc\rX`],
    [`${CHUNKED}ffffffffffffff\r\n`],
    [`${CHUNKED}1;${"x".repeat(20_000)}`],
    [head(`X: ${"x".repeat(70_000)}`)],
    [`HTTP/1.1 200 OK\r\n${"X: y\r\n".repeat(20_000)}`],
    [`${CHUNKED}0\r\n${"X: y\r\n".repeat(20_000)}`],
  ])("%j", ([text]) => {
    const { reader } = read(text!, 97);
    expect(reader.problem).toEqual(expect.any(String));
    expect(reader.isOver).toBe(true);
    expect(reader.isComplete).toBe(false);
  });
});

describe("whatever the bytes", () => {
  const response = fc
    .tuple(fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 8 }), fc.boolean())
    .map(([bodies, hasInterim]) => {
      const interim = hasInterim ? "HTTP/1.1 102 Processing\r\n\r\n" : "";
      const chunks = bodies.map((body) => httpChunk(Buffer.from(body)));
      const text = Buffer.concat([
        Buffer.from(interim + CHUNKED),
        ...chunks,
        Buffer.from("0\r\n\r\n"),
      ]);
      return { text, body: Buffer.concat(bodies).toString() };
    });

  test("how they are cut into reads changes nothing", () => {
    fc.assert(
      fc.property(response, fc.integer({ min: 1, max: 60 }), ({ text, body }, step) => {
        const cut = read(text, step);
        expect([cut.body, cut.reader.isComplete, cut.reader.hasExcess]).toEqual([
          body,
          true,
          false,
        ]);
      }),
    );
  });

  test("no bytes make it throw, alone or behind a good head", () => {
    const start = fc.constantFrom(
      "",
      "HTTP/1.1 ",
      head("Content-Length: 9"),
      CHUNKED,
      `${CHUNKED}5\r\n`,
    );
    fc.assert(
      fc.property(
        start,
        fc.uint8Array({ maxLength: 200 }),
        fc.integer({ min: 1, max: 30 }),
        (s, b, n) => {
          const { reader } = read(Buffer.concat([Buffer.from(s), Buffer.from(b)]), n);
          expect(["complete", "cut", "nothing"]).toContain(reader.finish());
        },
      ),
    );
  });
});
