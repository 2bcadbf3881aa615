import { describe, expect, test } from "vitest";
import { noiseAt, seededRandom } from "../../../src/engine/nvidia-smi/seeded-random.ts";

describe("seededRandom", () => {
  test("the same seed gives the same numbers, another seed others", () => {
    const take = (seed: number) => Array.from({ length: 5 }, seededRandom(seed));
    expect(take(7)).toEqual(take(7));
    expect(take(7)).not.toEqual(take(8));
  });

  test("is uniform enough: ten bins of 10,000 numbers hold about 1000 each", () => {
    const random = seededRandom(1);
    const bins = Array.from({ length: 10 }, () => 0);
    for (let i = 0; i < 10_000; i++) bins[Math.floor(random() * 10)]!++;
    expect(Math.min(...bins)).toBeGreaterThan(850);
    expect(Math.max(...bins)).toBeLessThan(1150);
  });
});

describe("noiseAt", () => {
  test("stays for its place, and lies on both sides of 0", () => {
    const noises = Array.from({ length: 1000 }, (_, i) => noiseAt(3, i));
    expect(noises).toEqual(Array.from({ length: 1000 }, (_, i) => noiseAt(3, i)));
    expect(Math.abs(noises.reduce((sum, noise) => sum + noise, 0) / 1000)).toBeLessThan(0.06);
    expect(Math.min(...noises)).toBeGreaterThanOrEqual(-1);
    expect(Math.max(...noises)).toBeLessThan(1);
  });
});
