import { expect, test } from "vitest";
import { SendQueue } from "../../../src/engine/server/send-queue.ts";

const progress = (id: number, firstToken: number, isLast = false) => ({
  id,
  firstToken,
  isLast,
  tokens: 1,
  draftTokens: 0,
  acceptedDraftTokens: 0,
  cachedTokens: 0,
});

test("spreads the streams of a step over the time of the next, each with a phase of its own", () => {
  const queue = new SendQueue();
  queue.push(
    Array.from({ length: 100 }, (_, id) => progress(id, 0)),
    1000,
    500,
  );
  const due = queue.take(1e9).map(({ dueNs }) => dueNs);
  expect(Math.min(...due)).toBeGreaterThanOrEqual(1000);
  expect(Math.max(...due)).toBeLessThan(1500);
  const gaps = due.slice(1).map((dueNs, i) => dueNs - due[i]!);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...gaps)).toBeLessThan(15);
});

test("gives out what is due and no more, and keeps the order of a stream's tokens", () => {
  const queue = new SendQueue();
  // The second step is so short that its phase would come before that of the first.
  queue.push([progress(1, 0)], 1000, 1000);
  queue.push([progress(1, 1, true)], 1001, 1);
  expect(queue.take(1600)).toEqual([]);
  expect(queue.nextNs).toBe(1618);
  expect(queue.take(1618).map(({ progress: { firstToken } }) => firstToken)).toEqual([0, 1]);
  expect(queue.nextNs).toBeUndefined();
});
