import { describe, expect, test } from "vitest";
import { figuresOf, leastCoveragePct } from "../../bench/accuracy/figures.ts";
import { SENSORS } from "../../bench/accuracy/sensors.ts";
import { SHAPES } from "../../bench/accuracy/shapes.ts";
import { simulate } from "../../bench/accuracy/simulate.ts";
import { DISTANCES, inFamily, LENGTHS } from "../../bench/accuracy/strata.ts";

/** A small version of `npm run bench:accuracy`: the same aims, missed by no more than chance allows. */
const judged = simulate({
  shapes: SHAPES,
  sensors: SENSORS.filter(({ name }) => name === "average"),
  periodsMs: [250],
  windows: 80,
  seed: 7,
});
const quiet = inFamily(judged, "quiet");
const anywhere = inFamily(judged, "anywhere");
const [short, , long] = LENGTHS;

describe("the estimate from a mean over a second, read every 250 ms, against the truth", () => {
  test("is asked of as many windows as were planned", () => {
    expect(anywhere).toHaveLength(80 * SHAPES.length);
    // A steady load is longer than any window, and not every load has quiet around it.
    expect(quiet.length).toBeGreaterThan(0.95 * 80 * (SHAPES.length - 1));
  });

  test("is hardly ever refused", () => {
    expect(figuresOf(judged).refused / judged.length).toBeLessThan(0.01);
  });

  test.each([
    ["with quiet on both sides", quiet],
    ["anywhere", anywhere],
  ])("has no bias %s", (_, windows) => {
    expect(Math.abs(figuresOf(windows).estimate!.biasPct)).toBeLessThan(0.3);
  });

  test.each([
    ["with quiet on both sides, from 4 s on", quiet.filter(long!.holds), 1.3],
    ["with quiet on both sides, below 2 s", quiet.filter(short!.holds), 4],
    ["anywhere, from 4 s on", anywhere.filter(long!.holds), 5],
    ["anywhere, below 2 s", anywhere.filter(short!.holds), 12],
  ])("19 of 20 windows %s are as near to the truth as is aimed at", (_, windows, aimPct) => {
    const estimates = windows.flatMap(({ estimate, trueJ }) =>
      estimate ? [{ estimate, trueJ }] : [],
    );
    const near = estimates.filter(
      ({ estimate, trueJ }) => Math.abs(estimate.energyJ / trueJ - 1) <= aimPct / 100,
    );
    const nearPct = (100 * near.length) / estimates.length;
    expect(nearPct).toBeGreaterThanOrEqual(leastCoveragePct(estimates.length));
  });

  test.each(SHAPES)("its interval holds the truth 19 times of 20 in the shape %s", (shape) => {
    const own = judged.filter((one) => one.shape === shape);
    const { n, coveragePct } = figuresOf(own).estimate!;
    expect(coveragePct).toBeGreaterThanOrEqual(leastCoveragePct(n));
  });

  test.each([...LENGTHS, ...DISTANCES])(
    "its interval holds the truth 19 times of 20 in windows: $name",
    ({ holds }) => {
      const { n, coveragePct } = figuresOf(judged.filter(holds)).estimate!;
      expect(coveragePct).toBeGreaterThanOrEqual(leastCoveragePct(n));
    },
  );

  test("its interval is not bought with width", () => {
    expect(figuresOf(quiet).estimate!.widthRatio).toBeLessThan(2);
    expect(figuresOf(anywhere).estimate!.widthRatio).toBeLessThan(2);
  });

  test("it is nearer to the truth than the plain integral, in every shape", () => {
    for (const shape of SHAPES) {
      const { integral, estimate } = figuresOf(judged.filter((one) => one.shape === shape));
      expect(estimate!.p95Pct).toBeLessThan(integral!.p95Pct / 2);
    }
  });
});
