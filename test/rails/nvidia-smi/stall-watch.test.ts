import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { StallWatch } from "../../../src/rails/nvidia-smi/stall-watch.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A watch of these devices at 250 ms, with a clock that the test moves. */
function watch(...devices: string[]) {
  const stalled: (string | undefined)[] = [];
  let nowMs = 0;
  const watched = new StallWatch(devices, 250, (device) => stalled.push(device));
  return {
    stalled,
    tick(...seen: string[]) {
      watched.saw(
        seen.map((device) => ({ atMs: nowMs, powerW: 1, device })),
        nowMs,
      );
    },
    pass(ms: number) {
      nowMs += ms;
      vi.advanceTimersByTime(ms);
    },
    stop: () => watched.stop(),
  };
}

describe("StallWatch", () => {
  test("three silent ticks are a stall of everything, told once", () => {
    const { stalled, tick, pass } = watch("a", "b");
    tick("a", "b");
    pass(740);
    expect(stalled).toEqual([]);
    pass(20);
    expect(stalled).toEqual([undefined]);
    pass(10_000);
    expect(stalled).toEqual([undefined]);
  });

  test("a tick as it really comes counts: a slow source is given longer", () => {
    const { stalled, tick, pass } = watch("a");
    for (let i = 0; i < 40; i++) {
      tick("a");
      pass(400);
    }
    pass(700);
    expect(stalled).toEqual([]);
    pass(200);
    expect(stalled).toEqual([undefined]);
  });

  test("one device that falls silent among others is named, and may come back", () => {
    const { stalled, tick, pass } = watch("a", "b");
    tick("a", "b");
    for (let i = 0; i < 4; i++) {
      pass(250);
      tick("a");
    }
    expect(stalled).toEqual(["b"]);
    pass(250);
    tick("a", "b");
    for (let i = 0; i < 4; i++) {
      pass(250);
      tick("a");
    }
    expect(stalled).toEqual(["b", "b"]);
  });

  test("a device that never gave a reading is silent from the first tick on", () => {
    const { stalled, tick, pass } = watch("a", "b");
    for (let i = 0; i < 5; i++) {
      tick("a");
      pass(250);
    }
    expect(stalled).toEqual(["b"]);
  });

  test("nothing is told after the stop", () => {
    const { stalled, tick, pass, stop } = watch("a");
    tick("a");
    stop();
    pass(10_000);
    expect(stalled).toEqual([]);
  });
});
