import { describe, expect, test } from "vitest";
import { randomBelow, seededRandom, shuffle } from "../../src/stats/seeded-random.ts";

const draw = (seed: number, stream: number, count: number) => {
  const random = seededRandom(seed, stream);
  return Array.from({ length: count }, () => random());
};

describe("seededRandom", () => {
  test("draws the same numbers on every machine: these", () => {
    expect(draw(1, 0, 3).map((value) => Math.floor(value * 2 ** 32))).toMatchInlineSnapshot(`
      [
        585466008,
        2946480172,
        1485547634,
      ]
    `);
  });

  test("another seed or another stream draws others", () => {
    const draws = [
      draw(0, 0, 8),
      draw(1, 0, 8),
      draw(0, 1, 8),
      draw(1, 1, 8),
      draw(2 ** 32 - 1, 0, 8),
    ];
    expect(new Set(draws.flat()).size).toBe(40);
  });

  test("fills [0, 1) evenly", () => {
    const counts = new Array<number>(10).fill(0);
    for (const value of draw(42, 0, 100_000)) counts[Math.floor(value * 10)]!++;
    // Six standard deviations of 100,000 draws with probability 0.1 are 569.
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(569);
  });

  test("the first draws of neighbouring streams are spread as evenly", () => {
    let sum = 0;
    for (let stream = 0; stream < 10_000; stream++) sum += draw(3, stream, 1)[0]!;
    expect(sum / 10_000).toBeCloseTo(0.5, 1);
  });
});

describe("shuffle", () => {
  test("keeps all items, and those before `from` in their place", () => {
    const items = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    shuffle(items, seededRandom(5), 3);
    expect(items.slice(0, 3)).toEqual([0, 1, 2]);
    expect(items.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(items.slice(3)).not.toEqual([3, 4, 5, 6, 7, 8, 9]);
  });

  test("every order of three comes up equally often", () => {
    const random = seededRandom(9);
    const counts = new Map<string, number>();
    for (let round = 0; round < 12_000; round++) {
      const items = ["a", "b", "c"];
      shuffle(items, random);
      counts.set(items.join(""), (counts.get(items.join("")) ?? 0) + 1);
    }
    expect(counts.size).toBe(6);
    for (const count of counts.values()) expect(Math.abs(count - 2000)).toBeLessThan(250);
  });
});

describe("randomBelow", () => {
  test("reaches every number below and no other", () => {
    const random = seededRandom(2);
    const seen = new Set(Array.from({ length: 200 }, () => randomBelow(random, 4)));
    expect([...seen].toSorted()).toEqual([0, 1, 2, 3]);
  });
});
