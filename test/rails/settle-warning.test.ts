import { describe, expect, test } from "vitest";
import { settleWarning } from "../../src/rails/settle-warning.ts";

const facts = {
  sensor: { averagingMs: 1000, updateMs: 100, kind: "average" },
  periodMs: 250,
} as const;

describe("a settle time that is shorter than the sensor needs", () => {
  test("is warned of, and what it costs is said", () => {
    expect(settleWarning(0, facts)).toMatch(
      /^no quiet time before windows \(--no-settle\), where the sensor needs 1\.6 s: .*moving power.*wider/,
    );
    expect(settleWarning(300, facts)).toMatch(/^a quiet time of 0\.3 s before windows, where/);
  });

  test("is none where it is as long, not asked for, or the sensor does not lag", () => {
    expect(settleWarning(1600, facts)).toBeUndefined();
    expect(settleWarning(undefined, facts)).toBeUndefined();
    const instant = { averagingMs: 100, updateMs: 100, kind: "instant" } as const;
    expect(settleWarning(0, { ...facts, sensor: instant })).toBeUndefined();
  });
});
