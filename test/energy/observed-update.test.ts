import { describe, expect, test } from "vitest";
import { observedUpdateMs } from "../../src/energy/observed-update.ts";
import { every } from "./samples.ts";

const wattsOf = ({ powerW }: { readonly powerW: number }): number => powerW;

describe("observedUpdateMs", () => {
  test("is the time between changes of a reading that is taken often", () => {
    expect(
      observedUpdateMs(
        every(20, 0, 5000, (ms) => Math.floor(ms / 100)),
        wattsOf,
      ),
    ).toBe(100);
    expect(
      observedUpdateMs(
        every(5, 0, 5000, (ms) => Math.floor(ms / 20)),
        wattsOf,
      ),
    ).toBe(20);
  });

  test("is right on average where readings come nearly as rarely, and pauses do not count", () => {
    const paused = (ms: number): number =>
      Math.floor(ms < 5000 ? ms / 100 : Math.max(50, (ms - 3000) / 100));
    const seen = observedUpdateMs(every(57, 0, 12_000, paused), wattsOf)!;
    expect(Math.abs(seen - 100)).toBeLessThan(8);
  });

  test("is not told where the reading changes as often as it is taken", () => {
    expect(
      observedUpdateMs(
        every(250, 0, 50_000, (ms) => ms),
        wattsOf,
      ),
    ).toBeUndefined();
  });

  test("is not told of a reading that stands still, or of none", () => {
    expect(
      observedUpdateMs(
        every(20, 0, 5000, () => 90),
        wattsOf,
      ),
    ).toBeUndefined();
    expect(observedUpdateMs([], wattsOf)).toBeUndefined();
  });
});
