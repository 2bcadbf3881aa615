import { expect, test } from "vitest";
import { Ticker } from "../../../src/engine/instant/ticker.ts";

test("what was due before the ticker was asked still comes, and as often as it wants", async () => {
  const ticker = new Ticker();
  let ticks = 0;
  await new Promise<void>((resolve) => {
    ticker.add({
      everyMs: 2,
      nextMs: performance.now() - 10,
      tick() {
        if (++ticks === 3) resolve();
        return ticks < 3;
      },
    });
  });
  expect(ticks).toBe(3);
  ticker.stop();
});
