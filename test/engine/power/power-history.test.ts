import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PowerHistory } from "../../../src/engine/power/power-history.ts";

const S = 1e9;

function historyOf(...segments: [atNs: number, powerW: number, isCapped?: boolean][]) {
  const history = new PowerHistory(1);
  for (const [atNs, powerW, isCapped = false] of segments) {
    history.append(atNs, [powerW], isCapped);
  }
  return history;
}

describe("energy", () => {
  test("is watts by seconds, also of parts of segments", () => {
    const history = historyOf([0, 100], [1 * S, 300], [3 * S, 50]);
    expect(history.energyJ(0, 0, 3 * S)).toBe(100 + 600);
    expect(history.energyJ(0, 0.5 * S, 1.5 * S)).toBe(50 + 150);
    expect(history.energyJ(0, 2 * S, 4 * S, 5 * S)).toBe(300 + 50);
    expect(history.energyJ(0, 2 * S, 2 * S)).toBe(0);
  });

  test("belongs to each GPU by itself", () => {
    const history = new PowerHistory(2);
    history.append(0, [100, 200], false);
    history.append(2 * S, [0, 0], false);
    expect([0, 1].map((gpu) => history.energyJ(gpu, 0, 2 * S))).toEqual([200, 400]);
  });

  test("a segment at the same time takes the place of the former", () => {
    const history = historyOf([0, 100], [1 * S, 900, true], [1 * S, 200], [2 * S, 0]);
    expect(history.energyJ(0, 0, 2 * S)).toBe(300);
    expect(history.cappedNs(0, 2 * S)).toBe(0);
    expect(history.segments(0, 2 * S)).toHaveLength(2);
  });

  test("is never below nothing, not even by a rounding", () => {
    const segments: [number, number][] = [
      [0, 2.3891548633682403e-299],
      [2, 8.23442745e-316],
      [6, 0],
    ];
    const history = historyOf(...segments);
    for (const cut of [0, 1, 2, 3, 4, 5, 6, 7]) {
      expect(history.energyJ(0, cut, 7, 7)).toBeGreaterThanOrEqual(0);
    }
  });

  test("of adjacent intervals adds up to that of their union, whatever the cuts", () => {
    const segment = fc.tuple(fc.integer({ min: 1, max: 2e9 }), fc.double({ min: 0, max: 1e3 }));
    fc.assert(
      fc.property(
        fc.array(
          segment.filter(([, powerW]) => Number.isFinite(powerW)),
          {
            minLength: 1,
            maxLength: 1500,
          },
        ),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 }),
        (segments, shares) => {
          const history = new PowerHistory(1, Number.POSITIVE_INFINITY);
          let atNs = 0;
          let byHandJ = 0;
          for (const [durationNs, powerW] of segments) {
            history.append(atNs, [powerW], false);
            atNs += durationNs;
            byHandJ += (powerW * durationNs) / 1e9;
          }
          const cuts = [0, ...shares.map((share) => Math.floor(share * atNs)), atNs];
          cuts.sort((a, b) => a - b);
          const parts = cuts.slice(1).map((cut, i) => history.energyJ(0, cuts[i]!, cut, atNs));
          const sumJ = parts.reduce((sum, part) => sum + part, 0);
          const wholeJ = history.energyJ(0, 0, atNs, atNs);
          expect(Math.abs(sumJ - wholeJ)).toBeLessThan(1e-9 + 1e-14 * wholeJ);
          expect(Math.abs(byHandJ - wholeJ)).toBeLessThan(1e-9 + 1e-13 * wholeJ);
          for (const part of parts) expect(part).toBeGreaterThanOrEqual(0);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("is exact to a nanojoule after ten hours of a hundred segments a second", () => {
    const history = new PowerHistory(1, 60 * S);
    const endS = 36_000;
    // Odd watts and a time that is no round number, so that every sum has to round.
    const watts = (i: number) => 600 + ((i * 7919) % 1000) / 7;
    const atNs = (i: number) => i * 10_000_000 + (i % 2);
    for (let i = 0; i <= endS * 100; i++) history.append(atNs(i), [watts(i)], false);
    const startNs = (endS - 50) * S;
    const secondsJ = Array.from({ length: 50 }, (_, s) =>
      history.energyJ(0, startNs + s * S, startNs + (s + 1) * S),
    );
    let byHandJ = 0;
    for (let i = (endS - 50) * 100; i < endS * 100; i++) {
      byHandJ += (watts(i) * (atNs(i + 1) - atNs(i))) / 1e9;
    }
    const wholeJ = history.energyJ(0, startNs, endS * S);
    expect(Math.abs(secondsJ.reduce((sum, part) => sum + part, 0) - wholeJ)).toBeLessThan(1e-9);
    expect(Math.abs(byHandJ - wholeJ)).toBeLessThan(1e-9);
  });
});

test("time that was capped is counted to the nanosecond", () => {
  const history = historyOf([0, 1], [10, 2, true], [30, 2, true], [45, 1], [99, 1]);
  expect(history.cappedNs(0, 99)).toBe(35);
  expect(history.cappedNs(20, 40)).toBe(20);
  expect(history.cappedNs(45, 99)).toBe(0);
});

test("segments are cut to the interval, across blocks too", () => {
  const history = new PowerHistory(1);
  for (let i = 0; i < 2000; i++) history.append(i * 10, [i], i % 2 === 1);
  const found = history.segments(5115, 5145);
  expect(found).toEqual([
    { startNs: 5115, endNs: 5120, powerW: [511], isCapped: true },
    { startNs: 5120, endNs: 5130, powerW: [512], isCapped: false },
    { startNs: 5130, endNs: 5140, powerW: [513], isCapped: true },
    { startNs: 5140, endNs: 5145, powerW: [514], isCapped: false },
  ]);
  expect(history.segments(0, 19_990)).toHaveLength(1999);
  expect(history.segments(19_990, 30_000, 30_000)).toEqual([
    { startNs: 19_990, endNs: 30_000, powerW: [1999], isCapped: true },
  ]);
});

describe("what is not known is refused", () => {
  const notKnown = /from -?\d+ to \d+ ns is not known: it is from 0 to \d+ ns/;

  test("before the first segment, and behind what the caller knows", () => {
    const history = historyOf([0, 100], [100, 200]);
    expect(() => history.energyJ(0, -1, 50)).toThrow(notKnown);
    expect(() => history.energyJ(0, 0, 101)).toThrow(notKnown);
    expect(history.energyJ(0, 0, 101, 101)).toBeGreaterThan(0);
    expect(() => history.cappedNs(0, 102, 101)).toThrow(RangeError);
    expect(() => history.segments(50, 40)).toThrow(RangeError);
    expect(() => new PowerHistory(1).energyJ(0, 0, 0, 10)).toThrow(RangeError);
  });

  test("and what was forgotten, while the retention is kept", () => {
    const history = new PowerHistory(1, 100 * S);
    for (let i = 0; i <= 100_000; i++) history.append(i * 0.01 * S, [100], false);
    expect(history.energyJ(0, 900 * S, 1000 * S)).toBeCloseTo(10_000, 6);
    expect(history.firstNs).toBeGreaterThan(880 * S);
    expect(() => history.energyJ(0, 800 * S, 1000 * S)).toThrow(/not known/);
  });
});

describe("what is no segment is refused", () => {
  test("time that goes back, a GPU too many, watts that are none", () => {
    const history = historyOf([10, 1]);
    expect(() => history.append(9, [1], false)).toThrow(RangeError);
    expect(() => history.append(11, [1, 1], false)).toThrow(RangeError);
    expect(() => history.append(11, [Number.NaN], false)).toThrow(RangeError);
    expect(() => history.append(11, [-1], false)).toThrow(RangeError);
    expect(history.lastNs).toBe(10);
  });
});
