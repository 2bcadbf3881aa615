import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CellTokens } from "../../src/records/cell-tokens.ts";
import type { RequestLine } from "../../src/records/request-line.ts";
import { tokenAtMs } from "../../src/records/request-line-of.ts";
import { SteadyPart, type WindowPart } from "../../src/records/steady-part.ts";
import { failedLine, lineOf } from "./support/lines.ts";

interface Found {
  readonly part: WindowPart | undefined;
  readonly tokens: number;
}

/** What the class makes of lines, in the order given. */
function steadyOf(
  slots: number,
  lines: readonly RequestLine[],
  limits: { readonly stepMs?: number | undefined; readonly mostWaiting?: number } = {},
): Found {
  const tokens = new CellTokens();
  const steady = new SteadyPart(
    slots,
    (line, startMs) => tokens.addSteady(line, startMs, Number.POSITIVE_INFINITY),
    limits,
  );
  for (const line of lines) steady.add(line);
  const part = steady.finish((line, { startMs, endMs }) => tokens.addSteady(line, startMs, endMs));
  return { part, tokens: part === undefined ? 0 : tokens.steady.output! };
}

/** The same by looking at all lines at once. */
function naive(slots: number, { lines, firstDryMs }: ClosedLoop, stepMs?: number): Found {
  const firsts = lines.filter(({ index }) => index < slots);
  if (firsts.length < slots) return { part: undefined, tokens: 0 };
  const startMs = Math.max(...firsts.map((line) => line.firstTokenMs ?? line.endMs));
  const steps = stepMs && Math.max(0, Math.floor((firstDryMs - startMs) / stepMs));
  const endMs = stepMs && steps !== undefined ? startMs + steps * stepMs : firstDryMs;
  if (endMs <= startMs) return { part: undefined, tokens: 0 };
  const inside = lines
    .flatMap((line) => [...tokenAtMs(line)])
    .filter((atMs) => atMs > startMs && atMs <= endMs);
  return { part: { startMs, endMs }, tokens: inside.length };
}

describe("the steady part", () => {
  test("of two slots and four requests lies between the second first token and the third end", () => {
    // Slot A: 0 to 200, 200 to 400. Slot B: 10 to 210, 210 to 410. Tokens 100, 150 and 200 later.
    const lines = [lineOf(0, 0), lineOf(1, 10), lineOf(2, 200), lineOf(3, 210)];
    const { part, tokens } = steadyOf(2, lines);
    expect(part).toEqual({ startMs: 110, endMs: 400 });
    // 150, 200; 160, 210; 300, 350, 400; 310, 360. The token at 110 belongs to the time before.
    expect(tokens).toBe(9);
  });

  test("ends when one of several slots runs dry, although another request is sent after that", () => {
    // All end in one step of the engine; of the next round there is only one.
    const lines = [lineOf(0, 0), lineOf(1, 0), lineOf(2, 0), lineOf(3, 200.01)];
    expect(steadyOf(3, lines).part).toEqual({ startMs: 100, endMs: 200 });
  });

  test("begins when a first request that failed before its first token has ended", () => {
    const lines = [failedLine(0, 0, { endMs: 170 }), lineOf(1, 0), lineOf(2, 170), lineOf(3, 200)];
    expect(steadyOf(2, lines).part).toEqual({ startMs: 170, endMs: 370 });
  });

  test("of one slot reaches from the first token to the last end", () => {
    expect(steadyOf(1, [lineOf(0, 0)])).toEqual({ part: { startMs: 100, endMs: 200 }, tokens: 2 });
  });

  test("is none where there are more slots than requests", () => {
    expect(steadyOf(3, [lineOf(0, 0), lineOf(1, 0)]).part).toBeUndefined();
    expect(steadyOf(1, []).part).toBeUndefined();
  });

  test("is none where the slots only stream together when one has run dry", () => {
    const late = lineOf(1, 0, { firstTokenMs: 900, endMs: 1000, lastTokenMs: 1000 });
    expect(steadyOf(2, [lineOf(0, 0), late]).part).toBeUndefined();
  });

  test("is none, and memory has an end, where the first request of a slot hangs", () => {
    const lines = Array.from({ length: 40 }, (_, i) => lineOf(i + 1, i * 200));
    expect(
      steadyOf(2, [...lines, lineOf(0, 0, { endMs: 9000 })], { mostWaiting: 20 }).part,
    ).toBeUndefined();
    expect(
      steadyOf(2, [...lines, lineOf(0, 0, { endMs: 9000 })], { mostWaiting: 50 }).part,
    ).toBeDefined();
  });

  test("is what looking at all lines at once gives, in any order, for any slots and requests", () => {
    const request = fc.record({
      gaps: fc.array(fc.integer({ min: 0, max: 400_000 }), { maxLength: 6 }),
      ttft: fc.integer({ min: 1, max: 300 }),
      isOk: fc.boolean(),
    });
    const load = fc.record({
      slots: fc.integer({ min: 1, max: 8 }),
      requests: fc.array(request, { maxLength: 60 }),
      order: fc.infiniteStream(fc.nat()),
      isInOrder: fc.boolean(),
      stepMs: fc.option(fc.integer({ min: 1, max: 900 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(load, ({ slots, requests, order, isInOrder, stepMs }) => {
        const loop = closedLoop(slots, requests);
        const { lines } = loop;
        const seen = isInOrder ? byEnd(lines) : lines.toSorted(() => (order.next().value! % 3) - 1);
        const found = steadyOf(slots, seen, { stepMs });
        const expected = naive(slots, loop, stepMs);
        expect(found.part).toEqual(expected.part);
        expect(found.tokens).toBeCloseTo(expected.tokens, 6);
      }),
      { numRuns: 500 },
    );
  });

  test("with a step is cut at its end to whole steps, and its tokens are of what is left", () => {
    const lines = [lineOf(0, 0), lineOf(1, 10), lineOf(2, 200), lineOf(3, 210)];
    // 150, 200; 160, 210; 300; 310, all by 310.
    expect(steadyOf(2, lines, { stepMs: 100 })).toEqual({
      part: { startMs: 110, endMs: 310 },
      tokens: 6,
    });
    expect(steadyOf(2, lines, { stepMs: 290 }).part).toEqual({ startMs: 110, endMs: 400 });
    expect(steadyOf(2, lines, { stepMs: 291 }).part).toBeUndefined();
  });

  test("with a step holds back no more lines than end within one of them", () => {
    let handedOn = 0;
    const steady = new SteadyPart(3, () => handedOn++, { stepMs: 1000 });
    for (let i = 0; i < 10_000; i++) {
      steady.add(lineOf(i, i * 10));
      if (i > 3) expect(i + 1 - handedOn).toBeLessThanOrEqual(3 + 100 + 1);
    }
    expect(handedOn).toBeGreaterThan(9800);
  });

  test("of many requests is told with as many lines held back as there are slots", () => {
    let handedOn = 0;
    const steady = new SteadyPart(3, () => handedOn++);
    for (let i = 0; i < 10_000; i++) {
      steady.add(lineOf(i, i * 10));
      if (i > 3) expect(i + 1 - handedOn).toBe(3);
    }
  });
});

interface Asked {
  readonly gaps: readonly number[];
  readonly ttft: number;
  readonly isOk: boolean;
}

interface ClosedLoop {
  readonly lines: readonly RequestLine[];
  /** When the first slot had no request any more. */
  readonly firstDryMs: number;
}

/** What a closed loop makes of requests: each is sent when the first slot is free. */
function closedLoop(slots: number, requests: readonly Asked[]): ClosedLoop {
  const freeMs = Array.from({ length: slots }, () => 0);
  const lines = requests.map(({ gaps, ttft, isOk }, index) => {
    const slot = freeMs.indexOf(Math.min(...freeMs));
    const sentMs = freeMs[slot]!;
    const firstTokenMs = sentMs + ttft;
    const takesUs = gaps.reduce((sum, gapUs) => sum + gapUs, firstTokenMs * 1000);
    const endMs = Math.round(takesUs) / 1000;
    freeMs[slot] = endMs;
    const completionTokens = gaps.length + 1;
    return lineOf(index, sentMs, {
      firstTokenMs,
      endMs,
      gapsUs: gaps,
      completionTokens,
      ...(isOk ? {} : { state: "error", errorKind: "truncated" }),
    });
  });
  return { lines, firstDryMs: Math.min(...freeMs) };
}

function byEnd(lines: readonly RequestLine[]): RequestLine[] {
  return lines.toSorted((a, b) => a.endMs - b.endMs);
}
