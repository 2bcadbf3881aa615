import { expect, test } from "vitest";
import { mixKeys } from "../../../src/engine/schedule/keys.ts";
import { naturalReplyLength } from "../../../src/engine/schedule/reply-length.ts";

const lengths = Array.from({ length: 20_000 }, (_, i) => naturalReplyLength(250, mixKeys(i, 7)));

test("lengths are lognormal: their logarithms have the median and the spread that are said", () => {
  const logs = lengths.map((length) => Math.log(length / 250));
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / logs.length;
  expect(Math.abs(mean)).toBeLessThan(0.02);
  expect(Math.abs(Math.sqrt(variance) - 0.6)).toBeLessThan(0.02);
  // Of a normal distribution, 15.9 % lie above one standard deviation and 2.3 % above two.
  const above = (sigmas: number) => logs.filter((log) => log > 0.6 * sigmas).length / logs.length;
  expect(Math.abs(above(0) - 0.5)).toBeLessThan(0.02);
  expect(Math.abs(above(1) - 0.159)).toBeLessThan(0.01);
  expect(Math.abs(above(2) - 0.023)).toBeLessThan(0.005);
});

test("a length is a whole number, at least 1, and the same for the same key", () => {
  expect(lengths.every((length) => Number.isInteger(length) && length >= 1)).toBe(true);
  for (let key = 0; key < 1000; key++) expect(naturalReplyLength(1, key)).toBeGreaterThanOrEqual(1);
  expect(naturalReplyLength(250, 42)).toBe(naturalReplyLength(250, 42));
});
