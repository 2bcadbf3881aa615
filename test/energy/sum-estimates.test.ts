import { describe, expect, test } from "vitest";
import type { EnergyEstimate, EstimateMethod } from "../../src/energy/energy-estimate.ts";
import { sumEstimates } from "../../src/energy/sum-estimates.ts";

function estimateOf(energyJ: number, method: EstimateMethod = "quiet_edges"): EnergyEstimate {
  return { energyJ, loJ: energyJ - 1, hiJ: energyJ + 2, method };
}

describe("sumEstimates", () => {
  test("adds the half-widths of each side as they are, not by their squares", () => {
    expect(sumEstimates([estimateOf(10), estimateOf(20), estimateOf(30)])).toEqual({
      energyJ: 60,
      loJ: 57,
      hiJ: 66,
      method: "quiet_edges",
    });
  });

  test.each<readonly [EstimateMethod, readonly EstimateMethod[]]>([
    ["moving_edges", ["quiet_edges", "moving_edges", "instant"]],
    ["quiet_edges", ["counter", "quiet_edges", "instant"]],
    ["instant", ["counter", "instant"]],
    ["counter", ["counter", "counter"]],
  ])("is by %s where its parts are by %j", (method, parts) => {
    expect(sumEstimates(parts.map((part) => estimateOf(10, part)))?.method).toBe(method);
  });

  test("of nothing is absent, never zero; of one it is that one", () => {
    expect(sumEstimates([])).toBeUndefined();
    expect(sumEstimates([estimateOf(5, "counter")])).toEqual(estimateOf(5, "counter"));
  });
});
