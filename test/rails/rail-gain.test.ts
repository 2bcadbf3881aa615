import { describe, expect, test } from "vitest";
import { commonGain, gainWords, withGain } from "../../src/rails/rail-gain.ts";
import { railLine } from "../../src/rails/rail-line.ts";
import { FACTS } from "../records/support/small-run.ts";

const A = { id: "GPU-a", index: 0, name: "NVIDIA X" };
const B = { id: "GPU-b", index: 1, name: "NVIDIA X" };

describe("the gain of a rail's devices", () => {
  test("is one factor for all, or each device's own by index or uuid", () => {
    expect(withGain([A, B], 1.047)).toEqual([
      { ...A, gain: 1.047 },
      { ...B, gain: 1.047 },
    ]);
    expect(withGain([A, B], { 1: 0.98 })).toEqual([A, { ...B, gain: 0.98 }]);
    expect(withGain([A, B], { "GPU-a": 1.02, 1: 0.98 })).toEqual([
      { ...A, gain: 1.02 },
      { ...B, gain: 0.98 },
    ]);
    expect(withGain([A, B], undefined)).toEqual([A, B]);
  });

  test("of a device that is there and is not read does no harm", () => {
    expect(withGain([B], { 0: 1.1, 1: 0.98 }, [A, B])).toEqual([{ ...B, gain: 0.98 }]);
  });

  test("of a device that is not there is an error that lists the devices", () => {
    expect(() => withGain([A], { 7: 1.1 }, [A, B])).toThrow(
      /gain for GPU 7, which is not there; there are GPU 0 \(NVIDIA X\) GPU-a, GPU 1 .* GPU-b/,
    );
    expect(() => withGain([A], { constructor: 1.1 })).toThrow(/GPU constructor/);
  });

  test("is given once, and can be", () => {
    expect(() => withGain([A], { 0: 1.1, "GPU-a": 1.2 })).toThrow(/two gains for GPU 0/);
    for (const gain of [0.5, 2, 0, -1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => withGain([A], gain)).toThrow(`a gain of ${gain} cannot be`);
  });

  test("is the key of a run only where all devices have the same", () => {
    expect(commonGain(withGain([A, B], 1.047))).toBe(1.047);
    expect(commonGain(withGain([A, B], { 0: 1.047 }))).toBeUndefined();
    expect(commonGain([A, B])).toBeUndefined();
  });

  test("is told in the rail's line, and nothing is where none was given", () => {
    const line = railLine({ ...FACTS, devices: withGain([A, B], 1.047) });
    expect(line).toContain("readings × 1.047 (--rail-gain)");
    expect(railLine(FACTS)).not.toContain("gain");
    expect(gainWords(withGain([A, B], { 0: 1.047, 1: 0.98 }))).toBe(
      "readings × 1.047 on GPU 0, × 0.98 on GPU 1 (--rail-gain)",
    );
  });
});
