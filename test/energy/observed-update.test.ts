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
