import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { estimateCellS, estimateRunS } from "../../src/benchmarks/estimate-time.ts";
import { planSweep } from "../../src/benchmarks/plan-sweep.ts";

const SHAPE = {
  concurrency: [1, 4],
  inputTokens: [128],
  outputTokens: [64],
  cache: "cold",
  repeat: 1,
} as const;

describe("the cells of a sweep", () => {
  test("of one input length are named by what is in flight", () => {
    expect(planSweep(SHAPE)).toEqual([
      {
        cell: 0,
        repeat: 0,
        label: "1 at once",
        prefix: "c1_",
        concurrency: 1,
        requests: 8,
        inputTokens: 128,
        outputTokens: 64,
        cache: "cold",
      },
      {
        cell: 1,
        repeat: 0,
        label: "4 at once",
        prefix: "c4_",
        concurrency: 4,
        requests: 16,
        inputTokens: 128,
        outputTokens: 64,
        cache: "cold",
      },
    ]);
  });

  test("of several lengths go through all levels of one before the next", () => {
    const prefixes = planSweep({ ...SHAPE, inputTokens: [128, 512] }).map(({ prefix }) => prefix);
    expect(prefixes).toEqual(["isl128_c1_", "isl128_c4_", "isl512_c1_", "isl512_c4_"]);
  });

  test("of several output lengths too, inside of each input length, and their names say which", () => {
    const outputTokens = [64, 256];
    const both = planSweep({ ...SHAPE, inputTokens: [128, 512], outputTokens, concurrency: [4] });
    expect(both.map(({ prefix }) => prefix)).toEqual([
      "isl128_osl64_c4_",
      "isl128_osl256_c4_",
      "isl512_osl64_c4_",
      "isl512_osl256_c4_",
    ]);
    expect(both.map((cell) => cell.outputTokens)).toEqual([64, 256, 64, 256]);
    expect(both[1]!.label).toBe("128 in, 256 out, 4 at once");
    const one = planSweep({ ...SHAPE, outputTokens });
    expect(one.map(({ prefix }) => prefix)).toEqual([
      "osl64_c1_",
      "osl64_c4_",
      "osl256_c1_",
      "osl256_c4_",
    ]);
    expect(one[0]!.label).toBe("64 out, 1 at once");
  });

  test("are all measured once before any is repeated", () => {
    const cells = planSweep({ ...SHAPE, repeat: 3 });
    expect(cells.map(({ prefix }) => prefix)).toEqual(["c1_", "c4_", "c1_", "c4_", "c1_", "c4_"]);
    expect(cells.map(({ repeat }) => repeat)).toEqual([0, 0, 1, 1, 2, 2]);
    expect(cells.map(({ cell }) => cell)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test("end after the requests or the time that was asked for", () => {
    expect(planSweep({ ...SHAPE, requests: 5 }).map(({ requests }) => requests)).toEqual([5, 5]);
    const [timed] = planSweep({ ...SHAPE, durationS: 30 });
    expect(timed).toMatchObject({ durationS: 30 });
    expect(timed).not.toHaveProperty("requests");
  });

  test("within one repeat no two share their prefix", () => {
    const levels = fc.uniqueArray(fc.integer({ min: 1, max: 999 }), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(levels, levels, levels, (concurrency, inputTokens, outputTokens) => {
        const cells = planSweep({ ...SHAPE, concurrency, inputTokens, outputTokens });
        const pairs = inputTokens.length * outputTokens.length;
        expect(cells).toHaveLength(concurrency.length * pairs);
        expect(new Set(cells.map(({ prefix }) => prefix)).size).toBe(cells.length);
      }),
    );
  });
});

describe("an estimate of the time", () => {
  const [one] = planSweep(SHAPE);
  test("is that of the answers, one round after the other, and of the quiet times", () => {
    // 8 rounds of 64 tokens at 64 tok/s, one more to warm up, 2 × 1.6 s of quiet.
    expect(estimateCellS(one!, { tokensPerS: 64, warmup: { rounds: 1 } })).toBeCloseTo(12.2, 9);
    // Without quiet time the readings of the window's end are waited for all the same.
    const hasNone = { tokensPerS: 64, settleMs: 0 };
    expect(estimateCellS(one!, hasNone)).toBeCloseTo(9.6, 9);
    expect(estimateCellS(one!, { ...hasNone, hasRail: false })).toBeCloseTo(8, 9);
    expect(estimateCellS(one!, { tokensPerS: 64, settleMs: 3000 })).toBeCloseTo(14, 9);
  });

  test("of a cell by time is that time and the last answers", () => {
    const [timed] = planSweep({ ...SHAPE, durationS: 30 });
    const basis = { tokensPerS: 64, settleMs: 0, hasRail: false, warmup: { seconds: 5 } };
    expect(estimateCellS(timed!, basis)).toBeCloseTo(37, 9);
    expect(estimateCellS(timed!, { ...basis, warmup: { seconds: 0 } })).toBeCloseTo(31, 9);
  });

  test("of a run is that of its cells and what is around them", () => {
    const cells = planSweep(SHAPE);
    const basis = { tokensPerS: 64 };
    const sumS = cells.reduce((sum, cell) => sum + estimateCellS(cell, basis), 0);
    expect(estimateRunS(cells, basis) - sumS).toBeGreaterThan(2);
    expect(estimateRunS([], basis)).toBe(estimateRunS(cells, basis) - sumS);
  });
});
