import { describe, expect, test } from "vitest";
import { type PhaseCell, type PhaseFigure, splitPhases } from "../../src/energy/split-phases.ts";
import { seededRandom } from "../../src/stats/seeded-random.ts";

const PREFILL_J = 0.02;
const DECODE_J = 0.3;
const REQUESTS = 16;

/** A cell whose energy follows the model, but for a relative error. */
function cellOf(input: number, output: number, error = 0, more: Partial<PhaseCell> = {}) {
  const [inputTokens, outputTokens] = [REQUESTS * input, REQUESTS * output];
  const energyJ = (PREFILL_J * inputTokens + DECODE_J * outputTokens) * (1 + error);
  return { lengths: { input, output }, inputTokens, outputTokens, energyJ, ...more };
}

type Pair = readonly [input: number, output: number];

const TWO_BY_TWO: readonly Pair[] = [
  [128, 64],
  [128, 256],
  [2048, 64],
  [2048, 256],
];

const clean = (pairs: readonly Pair[] = TWO_BY_TWO): PhaseCell[] =>
  pairs.map(([input, output]) => cellOf(input, output));

const told = (figure: object): PhaseFigure => {
  expect(figure).toHaveProperty("joulesPerToken");
  return figure as PhaseFigure;
};

/** Two seeded draws of a normal distribution. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

describe("prefill and decode", () => {
  test("are exactly those of cells without error", () => {
    const { prefill, decode } = splitPhases(clean());
    expect(told(prefill).joulesPerToken).toBeCloseTo(PREFILL_J, 12);
    expect(told(decode).joulesPerToken).toBeCloseTo(DECODE_J, 12);
    expect(told(decode).hi - told(decode).lo).toBeLessThan(1e-9);
  });

  test.each([
    ["two by two lengths", TWO_BY_TWO, 1],
    ["two by two lengths, three repeats", TWO_BY_TWO, 3],
    [
      "three by three lengths",
      [128, 1024, 4096].flatMap((i) => [32, 128, 512].map((o) => [i, o])),
      1,
    ],
  ] as const)(
    "of %s lie in their interval in 92 %% of 400 trials at least",
    (_, pairs, repeats) => {
      const random = seededRandom(4711);
      const trials = 400;
      const held = { prefill: 0, decode: 0 };
      for (let trial = 0; trial < trials; trial++) {
        const cells = Array.from({ length: repeats }).flatMap(() =>
          pairs.map(([input, output]) => cellOf(input!, output!, 0.02 * normal(random))),
        );
        const split = splitPhases(cells);
        const [p, d] = [told(split.prefill), told(split.decode)];
        if (p.lo <= PREFILL_J && PREFILL_J <= p.hi) held.prefill++;
        if (d.lo <= DECODE_J && DECODE_J <= d.hi) held.decode++;
      }
      expect(held.prefill / trials).toBeGreaterThanOrEqual(0.92);
      expect(held.decode / trials).toBeGreaterThanOrEqual(0.92);
    },
  );

  test("are no surer than the intervals of the cells themselves, however well these agree", () => {
    const wide = clean().map((cell) => ({
      ...cell,
      loJ: cell.energyJ * 0.9,
      hiJ: cell.energyJ * 1.06,
    }));
    const { prefill, decode } = splitPhases(wide);
    expect(told(decode).joulesPerToken).toBeCloseTo(DECODE_J, 12);
    // Four cells of ±10 % each, two of which are nearly all decode.
    expect((told(decode).hi / DECODE_J - 1) * 100).toBeGreaterThan(5);
    expect((told(decode).hi / DECODE_J - 1) * 100).toBeLessThan(12);
    expect(told(prefill).hi - told(prefill).lo).toBeGreaterThan(0.1 * PREFILL_J);
  });

  test("repeats that agree do not hide that the model does not hold", () => {
    // Answers of long contexts are dearer than the model has it.
    const bent = clean().map((cell) => ({
      ...cell,
      energyJ: cell.energyJ * (cell.lengths.input > 1000 && cell.lengths.output > 100 ? 1.06 : 1),
    }));
    const once = told(splitPhases(bent).decode);
    const often = told(splitPhases(Array.from({ length: 8 }, () => bent).flat()).decode);
    expect(often.joulesPerToken).toBeCloseTo(once.joulesPerToken, 12);
    expect(often.hi - often.lo).toBeCloseTo(once.hi - once.lo, 9);
  });

  test("tokens of a cache cost nothing: those that were processed count", () => {
    const { prefill } = splitPhases(
      clean().map((cell) => ({
        ...cell,
        inputTokens: cell.inputTokens / 2,
        energyJ: cell.energyJ - (PREFILL_J * cell.inputTokens) / 2,
      })),
    );
    expect(told(prefill).joulesPerToken).toBeCloseTo(PREFILL_J, 12);
  });
});

describe("prefill and decode are not told", () => {
  const eight = TWO_BY_TWO.flatMap((pair) => [pair, pair]);
  test.each<[string, readonly PhaseCell[], RegExp]>([
    ["of nothing", [], /no cell counts/],
    [
      "of one input length",
      clean([
        [128, 64],
        [128, 128],
        [128, 256],
        [128, 512],
      ]),
      /two input lengths .* have one/,
    ],
    [
      "of one output length",
      clean([
        [64, 128],
        [128, 128],
        [512, 128],
        [999, 128],
      ]),
      /two output lengths .* have one \(--output-tokens/,
    ],
    ["of three cells", clean(TWO_BY_TWO.slice(1)), /at least 4 cells are needed, and 3 count/],
    [
      "of two pairs of lengths",
      clean([
        [128, 64],
        [2048, 256],
        [128, 64],
        [2048, 256],
      ]),
      /3 pairs of lengths .* have 2/,
    ],
    [
      "of lengths that grow together",
      clean([
        [64, 64],
        [128, 128],
        [256, 256],
        [512, 512],
      ]),
      /grow together .*condition number above 999, at most 30/,
    ],
    [
      "of lengths that hardly differ in their ratio",
      clean([
        [128, 64],
        [132, 64],
        [128, 66],
        [132, 66],
      ]),
      /condition number \d+, at most 30/,
    ],
    [
      "of prompts that were all cached",
      clean(eight).map((cell) => ({ ...cell, inputTokens: 0 })),
      /all of them in its cache/,
    ],
  ])("%s", (_, cells, why) => {
    const { prefill, decode } = splitPhases(cells);
    expect(prefill).toEqual({ why: expect.stringMatching(why) });
    expect(decode).toEqual(prefill);
  });

  test("where one would give energy back", () => {
    const cells = clean().map((cell) => ({
      ...cell,
      energyJ: DECODE_J * cell.outputTokens - 0.005 * cell.inputTokens,
    }));
    const { prefill, decode } = splitPhases(cells);
    expect(prefill).toEqual({ why: expect.stringMatching(/prefill would take -0\.005 J/) });
    expect(decode).toEqual(prefill);
  });

  test("of a phase that the noise hides, while the other is", () => {
    const noisy = TWO_BY_TWO.map(([input, output], i) =>
      cellOf(input / 64, output, i % 2 === 0 ? 0.04 : -0.04),
    );
    const { prefill, decode } = splitPhases(noisy);
    expect(prefill).toEqual({
      why: expect.stringMatching(/lies between -\S+ and \S+ J per token/),
    });
    expect(told(decode).joulesPerToken).toBeCloseTo(DECODE_J, 1);
  });
});
