import { expect, test } from "vitest";
import { mixKeys, uniformAt } from "../../../src/engine/schedule/keys.ts";

test("a mixed key has 32 bits, is the same each time, and depends on both and on their order", () => {
  const key = mixKeys(1, 2);
  expect(key).toBe(mixKeys(1, 2));
  expect(Number.isInteger(key) && key >= 0 && key < 2 ** 32).toBe(true);
  expect(new Set([key, mixKeys(2, 1), mixKeys(1, 3), mixKeys(3, 2)]).size).toBe(4);
});

test("numbers at neighbouring places and under neighbouring keys are uniform and do not correlate", () => {
  const count = 20_000;
  let sum = 0;
  let byPlace = 0;
  let byKey = 0;
  for (let i = 0; i < count; i++) {
    const centred = uniformAt(5, i) - 0.5;
    sum += centred;
    byPlace += centred * (uniformAt(5, i + 1) - 0.5);
    byKey += (uniformAt(i, 3) - 0.5) * (uniformAt(i + 1, 3) - 0.5);
  }
  // Four standard errors of the mean and of the correlation.
  expect(Math.abs(sum / count)).toBeLessThan((4 * Math.sqrt(1 / 12)) / Math.sqrt(count));
  expect(Math.abs((12 * byPlace) / count)).toBeLessThan(4 / Math.sqrt(count));
  expect(Math.abs((12 * byKey) / count)).toBeLessThan(4 / Math.sqrt(count));
});
