import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { splitElements, splitLines, type TextPiece } from "../../src/workloads/split-text.ts";

async function* inChunks(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

async function all(pieces: AsyncIterable<TextPiece>): Promise<[number, string][]> {
  const found: [number, string][] = [];
  for await (const { line, text } of pieces) found.push([line, text.trim()]);
  return found;
}

const chunkSize = fc.integer({ min: 1, max: 40 });

describe("splitLines", () => {
  test("numbers lines from 1 and leaves blank ones out", async () => {
    expect(await all(splitLines(inChunks("a\r\n\n  \nb\nc", 2)))).toEqual([
      [1, "a"],
      [4, "b"],
      [5, "c"],
    ]);
  });

  test("does not split at U+2028, which may stand in a JSON string", async () => {
    expect(await all(splitLines(inChunks('"a\u2028b"\n', 3)))).toEqual([[1, '"a\u2028b"']]);
  });

  test("of nothing there is nothing", async () => {
    expect(await all(splitLines(inChunks("", 1)))).toEqual([]);
    expect(await all(splitLines(inChunks("\n\n", 1)))).toEqual([]);
  });
});

describe("splitElements", () => {
  test("names the line in which each element starts", async () => {
    const text = '\n[\n  {"a": 1},\n\n  {"b":\n [1, 2]}, {"c": 3}\n]\n';
    expect(await all(splitElements(inChunks(text, 1000)))).toEqual([
      [3, '{"a": 1}'],
      [5, '{"b":\n [1, 2]}'],
      [6, '{"c": 3}'],
    ]);
  });

  test("however the text is cut and laid out, the elements are those of JSON.parse", async () => {
    const laidOut = fc.tuple(fc.array(fc.jsonValue()), fc.constantFrom(0, 1, 2), chunkSize);
    await fc.assert(
      fc.asyncProperty(laidOut, async ([values, indent, size]) => {
        const text = JSON.stringify(values, null, indent);
        const pieces = await all(splitElements(inChunks(text, size)));
        expect(pieces.map(([, piece]) => JSON.parse(piece))).toEqual(JSON.parse(text));
      }),
    );
  });

  test("brackets, commas and escaped quotes in strings are text", async () => {
    const text = '["a\\"],[{", "\\\\", "]"]';
    expect(await all(splitElements(inChunks(text, 1)))).toEqual([
      [1, '"a\\"],[{"'],
      [1, '"\\\\"'],
      [1, '"]"'],
    ]);
  });

  test("what the file ends in, and what follows the array, is handed on as it is", async () => {
    expect(await all(splitElements(inChunks('[1, {"a": [2', 3)))).toEqual([
      [1, "1"],
      [1, '{"a": [2'],
    ]);
    expect(await all(splitElements(inChunks("[1]\nrest", 3)))).toEqual([
      [1, "1"],
      [2, "rest"],
    ]);
  });
});
