import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LineSplitter } from "../../../src/rails/nvidia-smi/line-splitter.ts";

describe("LineSplitter", () => {
  test("a line without its newline is never handed out", () => {
    const splitter = new LineSplitter();
    expect(splitter.push("627.40, a\n626.88, a\n62").lines).toEqual(["627.40, a", "626.88, a"]);
    expect(splitter.push("").lines).toEqual([]);
    expect(splitter.push("6.88\n").lines).toEqual(["626.88"]);
  });

  test("the CR of a Windows line is no part of it, also when it comes alone", () => {
    const splitter = new LineSplitter();
    expect(splitter.push("a\r\nb\r").lines).toEqual(["a"]);
    expect(splitter.push("\nc\n").lines).toEqual(["b", "c"]);
  });

  test("a line that is too long is told once, cut short, and the next line is whole again", () => {
    const splitter = new LineSplitter();
    const first = splitter.push("x".repeat(5000));
    expect(first.tooLong).toEqual(["x".repeat(80)]);
    expect(splitter.push("x".repeat(100_000)).tooLong).toEqual([]);
    expect(splitter.push("tail\n1.0, a\n")).toEqual({ lines: ["1.0, a"], tooLong: [] });
  });

  test("however the bytes are cut into reads, the lines are the same", () => {
    const text = fc
      .array(fc.string({ unit: fc.constantFrom("a", "1", ",", "\r", "\n") }))
      .map((p) => p.join(""));
    fc.assert(
      fc.property(text, fc.array(fc.nat({ max: 5 })), (whole, cuts) => {
        const atOnce = new LineSplitter().push(whole).lines;
        const splitter = new LineSplitter();
        const pieces: string[] = [];
        let rest = whole;
        for (const cut of cuts) {
          pieces.push(...splitter.push(rest.slice(0, cut)).lines);
          rest = rest.slice(cut);
        }
        pieces.push(...splitter.push(rest).lines);
        expect(pieces).toEqual(atOnce);
      }),
    );
  });
});
