import { describe, expect, test } from "vitest";
import { quietBeside, quietStretches } from "../../../src/energy/estimate/quiet-stretches.ts";
import { trailingMeanW } from "../../../src/engine/nvidia-smi/step-power.ts";
import { every, readings } from "../samples.ts";

const SENSOR = { averagingMs: 1000, updateMs: 100 };

describe("quietStretches", () => {
  test("readings that stand still tell of the averaging time before them, to an update before the last", () => {
    const samples = every(250, 2000, 4000, (atMs) => 100 + (atMs % 500) / 500);
    expect(quietStretches(samples, SENSOR)).toEqual([
      { fromMs: 1000, toMs: 3900, meanW: expect.closeTo(100.2, 0) },
    ]);
  });

  test("power that rises all the time is never quiet", () => {
    expect(
      quietStretches(
        every(250, 0, 10_000, (atMs) => 100 + atMs / 100),
        SENSOR,
      ),
    ).toEqual([]);
  });

  test("power that jumps to and fro is never quiet", () => {
    const samples = every(250, 0, 10_000, (atMs) => (atMs % 500 === 0 ? 100 : 300));
    expect(quietStretches(samples, SENSOR)).toEqual([]);
  });

  test("two readings count if they lie closer together than three would have to", () => {
    const two = (watts: number) => readings([0, 100], [250, watts], [500, 200]);
    expect(quietStretches(two(100.5), SENSOR)).toHaveLength(1);
    expect(quietStretches(two(101.5), SENSOR)).toEqual([]);
  });

  test("one reading is no stretch", () => {
    expect(quietStretches(readings([0, 100], [250, 200], [500, 300]), SENSOR)).toEqual([]);
  });

  test("clocks that step down after a load make two stretches, not one", () => {
    const curve = { beforeW: 150, steps: [{ atMs: 5000, powerW: 129 }] };
    const sampling = { windowMs: 1000, updateMs: 100 };
    const samples = every(250, 2000, 10_000, (atMs) => trailingMeanW(curve, atMs, sampling));
    const stretches = quietStretches(samples, SENSOR);
    expect(stretches.map(({ meanW }) => meanW)).toEqual([150, 129]);
    expect(stretches[0]!.toMs).toBeLessThanOrEqual(5000);
    expect(stretches[1]!.fromMs).toBeGreaterThanOrEqual(4900);
  });

  test("a watt or two are no change at 400 W and at 20 W alike", () => {
    for (const levelW of [20, 400]) {
      const samples = every(250, 0, 2000, (atMs) => levelW + (atMs % 500 === 0 ? 0 : 1.9));
      expect(quietStretches(samples, SENSOR)).toHaveLength(1);
    }
  });

  test("no readings hold no quiet", () => {
    expect(quietStretches([], SENSOR)).toEqual([]);
  });
});

describe("quietBeside", () => {
  const stretches = [{ fromMs: 1000, toMs: 3000, meanW: 100 }];

  test.each([
    [3000, "before", true],
    [3500, "before", true],
    [3501, "before", false],
    [1000, "before", false],
    [1000, "after", true],
    [500, "after", true],
    [499, "after", false],
    [3000, "after", false],
  ] as const)("at %d ms, %s: %s", (atMs, side, isQuiet) => {
    expect(quietBeside(stretches, atMs, side, 500) !== undefined).toBe(isQuiet);
  });
});
