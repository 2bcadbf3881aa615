import { expect, test } from "vitest";
import { type LiveSequence, liveSequence } from "../../../src/engine/schedule/live-sequence.ts";
import { WaitingLine } from "../../../src/engine/schedule/waiting-line.ts";

function waiting(id: number): LiveSequence {
  return liveSequence({ id, key: 0, promptTokens: 1, blockHashes: [], replyTokens: 1 });
}

test("a line gives the first that is not gone, and is a line again after it was empty", () => {
  const line = new WaitingLine();
  expect(line.first()).toBeUndefined();
  const sequences = [0, 1, 2, 3].map(waiting);
  for (const sequence of sequences) line.push(sequence);
  sequences[0]!.state = "gone";
  sequences[2]!.state = "gone";
  expect(line.first()?.asked.id).toBe(1);
  expect(line.first()?.asked.id).toBe(1);
  line.takeFirst();
  expect(line.first()?.asked.id).toBe(3);
  line.takeFirst();
  expect(line.first()).toBeUndefined();
  line.push(waiting(4));
  expect(line.first()?.asked.id).toBe(4);
});

test("keeps the order when it is long enough to be shortened many times", () => {
  const line = new WaitingLine();
  let pushed = 0;
  let expected = 0;
  for (let round = 0; round < 6000; round++) {
    line.push(waiting(pushed++));
    line.push(waiting(pushed++));
    expect(line.first()?.asked.id).toBe(expected++);
    line.takeFirst();
  }
  for (; expected < pushed; expected++) {
    expect(line.first()?.asked.id).toBe(expected);
    line.takeFirst();
  }
  expect(line.first()).toBeUndefined();
});
