import fc from "fast-check";
import { describe, expect, test } from "vitest";

interface StopText {
  readonly isStopped: boolean;
  push(text: string): string;
  end(): string;
}

const { StopText } = (await import("../../../examples/llama-server/stop-text.mjs" as string)) as {
  StopText: new (stops: readonly string[]) => StopText;
};

const through = (stops: readonly string[], pieces: readonly string[]): string[] => {
  const stopText = new StopText(stops);
  return [...pieces.map((piece) => stopText.push(piece)), stopText.end()];
};

describe("StopText", () => {
  test("lets everything through at once where there are no stops", () => {
    expect(through([], ["a", "bc"])).toEqual(["a", "bc", ""]);
  });

  test("holds what may become a stop, and lets it go when it does not", () => {
    expect(through(["END"], ["a E", "N", "Ds", "E"])).toEqual(["a ", "", "", "", ""]);
    expect(through(["END"], ["a E", "N", "x", "E"])).toEqual(["a ", "", "ENx", "", "E"]);
  });

  test("ends at the stop that is complete first, and lets nothing through after it", () => {
    expect(through(["two", "one"], ["x one two", " more"])).toEqual(["x ", "", ""]);
    expect(through(["bcd", "c"], ["abcd"])).toEqual(["ab", ""]);
    expect(through(["c", "bc"], ["ab", "cd"])).toEqual(["a", "", ""]);
  });

  test("however a text is cut into pieces, what is before the first stop gets through", () => {
    const letters = fc.constantFrom("a", "b", "c");
    const pieces = fc.array(fc.string({ unit: letters, maxLength: 8 }), { maxLength: 6 });
    const stop = fc.string({ unit: letters, minLength: 1, maxLength: 4 });
    const property = fc.property(pieces, fc.array(stop, { maxLength: 3 }), (cut, stops) => {
      expect(through(stops, cut).join("")).toBe(untilStop(stops, cut.join("")));
    });
    fc.assert(property, { numRuns: 2000 });
  });
});

/** Letter by letter: the first text that ends in a stop, without the longest that it ends in. */
function untilStop(stops: readonly string[], text: string): string {
  for (let length = 1; length <= text.length; length++) {
    const come = text.slice(0, length);
    const ends = stops.filter((stop) => come.endsWith(stop)).map((stop) => stop.length);
    if (ends.length > 0) return come.slice(0, length - Math.max(...ends));
  }
  return text;
}
