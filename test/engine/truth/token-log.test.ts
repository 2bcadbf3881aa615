import { expect, test } from "vitest";
import { TokenLog } from "../../../src/engine/truth/token-log.ts";

function logOf(mostEvents: number | undefined, replies: number, eventsEach: number): TokenLog {
  const log = new TokenLog(mostEvents);
  for (let id = 0; id < replies; id++) {
    log.open({ id, replyId: `r${id}`, choice: 0, promptTokens: 1, arrivedNs: id * 100 });
    for (let i = 0; i < eventsEach; i++) log.sent(id, 2, id * 100 + i, id * 100 + i + 1, 0);
    log.end(id, "finished");
  }
  return log;
}

test("counts what was sent from one time up to, but not at, another", () => {
  const log = logOf(undefined, 2, 3);
  expect(log.count(0, 1000)).toEqual({ events: 6, tokens: 12 });
  expect(log.count(1, 3)).toEqual({ events: 2, tokens: 4 });
  expect(log.count(3, 3)).toEqual({ events: 0, tokens: 0 });
  expect(log.count(3, 102)).toEqual({ events: 2, tokens: 4 });
});

test("adjacent intervals add up, whatever the cuts", () => {
  const log = logOf(undefined, 20, 7);
  for (const cut of [0, 1, 55, 106, 107, 1003, 5000]) {
    const [left, right] = [log.count(0, cut), log.count(cut, 5000)];
    expect(left.events + right.events).toBe(140);
  }
});

test("forgets the oldest that have ended, and then says so instead of counting too few", () => {
  const log = logOf(1000, 500, 4);
  expect([...log.sequences()].length).toBeLessThanOrEqual(1000 / 4);
  expect(log.forgotten + [...log.sequences()].length).toBe(500);
  expect(() => log.count(0, 1e9)).toThrow("are forgotten");
  const { events } = log.count(log.forgottenNs + 1, 1e9);
  expect(events).toBe([...log.sequences()].length * 4);
});

test("sequences without a token take room too", () => {
  const log = logOf(1000, 5000, 0);
  expect([...log.sequences()].length).toBeLessThan(100);
});

test("never forgets one that goes on", () => {
  const log = new TokenLog(100);
  log.open({ id: 0, replyId: "first", choice: 0, promptTokens: 1, arrivedNs: 0 });
  for (let i = 0; i < 500; i++) log.sent(0, 1, i, i, 0);
  expect(log.count(0, 1000)).toEqual({ events: 500, tokens: 500 });
});
