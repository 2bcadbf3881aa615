import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  energyJ,
  lastStepAt,
  meanPowerW,
  type PowerCurve,
  powerAtW,
  timeAtOrAboveMs,
  trailingMeanW,
} from "../../../src/engine/nvidia-smi/step-power.ts";

/** 50 W, then 300 W from 1 s, then 100 W from 3 s. */
const curve: PowerCurve = {
  beforeW: 50,
  steps: [
    { atMs: 1000, powerW: 300 },
    { atMs: 3000, powerW: 100 },
  ],
};

describe("energyJ", () => {
  test.each([
    { startMs: 0, endMs: 1000, joules: 50, why: "before the first step" },
    { startMs: 500, endMs: 1500, joules: 175, why: "25 J before a step and 150 J after it" },
    { startMs: 0, endMs: 4000, joules: 750, why: "50 J + 600 J + 100 J" },
    { startMs: -2000, endMs: 0, joules: 100, why: "before time 0" },
    { startMs: 3500, endMs: 5500, joules: 200, why: "after the last step" },
    { startMs: 2000, endMs: 2000, joules: 0, why: "an empty interval" },
  ])("$startMs to $endMs ms: $joules J ($why)", ({ startMs, endMs, joules }) => {
    expect(energyJ(curve, startMs, endMs)).toBeCloseTo(joules, 9);
  });

  test("a step that is replaced at its own instant costs nothing", () => {
    const twice = {
      beforeW: 0,
      steps: [
        { atMs: 10, powerW: 9000 },
        { atMs: 10, powerW: 20 },
      ],
    };
    expect(energyJ(twice, 0, 1010)).toBeCloseTo(20, 9);
  });

  test("is additive, and the mean is energy by time", () => {
    const step = fc.record({ atMs: fc.integer({ min: -500, max: 5000 }), powerW: fc.nat(700) });
    const times = fc.tuple(fc.nat(6000), fc.nat(6000), fc.nat(6000));
    fc.assert(
      fc.property(fc.array(step), fc.nat(700), times, (steps, beforeW, unsorted) => {
        const any = { beforeW, steps: steps.sort((a, b) => a.atMs - b.atMs) };
        const [startMs, middleMs, endMs] = unsorted.sort((a, b) => a - b) as [
          number,
          number,
          number,
        ];
        const wholeJ = energyJ(any, startMs, endMs);
        const partsJ = energyJ(any, startMs, middleMs) + energyJ(any, middleMs, endMs);
        expect(partsJ).toBeCloseTo(wholeJ, 6);
        const meanTimesS = (meanPowerW(any, startMs, endMs) * (endMs - startMs)) / 1000;
        expect(meanTimesS).toBeCloseTo(wholeJ, 6);
      }),
    );
  });
});

describe("meanPowerW", () => {
  test("of 1 s at 50 W and 1 s at 300 W is 175 W", () => {
    expect(meanPowerW(curve, 0, 2000)).toBeCloseTo(175, 9);
  });

  test("of an empty interval is the power at it, not 0/0", () => {
    expect(meanPowerW(curve, 1000, 1000)).toBe(300);
  });
});

describe("trailingMeanW", () => {
  const average = { windowMs: 1000, updateMs: 100 };

  test.each([
    { nowMs: 1000, watts: 50, why: "the step has only begun" },
    { nowMs: 1099, watts: 50, why: "not renewed yet" },
    { nowMs: 1100, watts: 75, why: "0.9 s at 50 W, 0.1 s at 300 W" },
    { nowMs: 1999, watts: 275, why: "as renewed at 1900" },
    { nowMs: 2000, watts: 300, why: "the window is full" },
    { nowMs: 3550, watts: 200, why: "half at 300 W, half at 100 W, as renewed at 3500" },
    { nowMs: 0, watts: 50, why: "the window reaches before time 0" },
  ])("shows $watts W at $nowMs ms: $why", ({ nowMs, watts }) => {
    expect(trailingMeanW(curve, nowMs, average)).toBeCloseTo(watts, 9);
  });

  test("a sensor that looks at 25 ms of each 100 ms misses what lies between", () => {
    const spike = {
      beforeW: 100,
      steps: [
        { atMs: 1010, powerW: 700 },
        { atMs: 1060, powerW: 100 },
      ],
    };
    expect(trailingMeanW(spike, 1150, { windowMs: 25, updateMs: 100 })).toBe(100);
  });
});

test("powerAtW takes the new power at a step", () => {
  expect([999, 1000, 2999, 3000].map((atMs) => powerAtW(curve, atMs))).toEqual([50, 300, 300, 100]);
});

test("timeAtOrAboveMs counts a power that only touches the threshold", () => {
  expect(timeAtOrAboveMs(curve, 300, 0, 10_000)).toBe(2000);
  expect(timeAtOrAboveMs(curve, 300.01, 0, 10_000)).toBe(0);
  expect(timeAtOrAboveMs(curve, 100, 2500, 4000)).toBe(1500);
});

test("lastStepAt finds the last of several steps at one instant", () => {
  const steps = [0, 5, 5, 9].map((atMs) => ({ atMs, powerW: 1 }));
  expect([-1, 0, 4, 5, 8, 9, 99].map((atMs) => lastStepAt(steps, atMs))).toEqual([
    -1, 0, 0, 2, 2, 3, 3,
  ]);
});
