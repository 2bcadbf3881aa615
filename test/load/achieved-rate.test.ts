import { expect, test } from "vitest";
import { achievedRate } from "../../src/load/achieved-rate.ts";
import { constantArrivals } from "../../src/load/arrivals.ts";

test("a rate that was reached, one that was not, and none at all", () => {
  const dueMs = constantArrivals(200, 1001);
  expect(achievedRate(dueMs, 5000)).toEqual({ askedPerS: 200, achievedPerS: 200, isReached: true });
  expect(achievedRate(dueMs, 5050)).toMatchObject({ isReached: true });
  const late = achievedRate(dueMs, 10_000)!;
  expect(late.achievedPerS).toBe(100);
  expect(late.isReached).toBe(false);
  expect(achievedRate([5], 5)).toBeUndefined();
  expect(achievedRate([5, 5], 5)).toBeUndefined();
});
