import { describe, expect, test } from "vitest";
import type { EnergyEstimate } from "../../src/energy/energy-estimate.ts";
import { windowWarnings } from "../../src/rails/window-warnings.ts";

const FACTS = {
  sensor: { averagingMs: 1000, updateMs: 100, kind: "average" },
  fields: ["power.draw.average", "power.draw.instant"],
} as const;
const window = { windowS: 5, samples: 20, energyJ: 2251, meanPowerW: 450, maxPowerW: 480 };
const estimate: EnergyEstimate = { energyJ: 2431, loJ: 2410, hiJ: 2452, method: "quiet_edges" };

function secondOf(energyJ: number) {
  const own: EnergyEstimate = { energyJ, loJ: energyJ - 10, hiJ: energyJ + 10, method: "instant" };
  return { field: "power.draw.instant", estimate: own };
}

describe("what is warned of beside a window", () => {
  test("the lag, where there is nothing but the plain integral", () => {
    expect(windowWarnings(window, FACTS).join()).toMatch(/only the plain integral.*reads low/);
    expect(windowWarnings({ ...window, estimate }, FACTS)).toEqual([]);
    expect(windowWarnings({ ...window, windowS: 60 }, FACTS)).toEqual([]);
  });

  test("no lag of a mean, where a reading is no plain mean", () => {
    expect(windowWarnings(window, { ...FACTS, unmodelled: "it creeps" })).toEqual([]);
  });

  test("two columns that differ by more than their intervals allow, with both and by how much", () => {
    const [warning, ...more] = windowWarnings(
      { ...window, estimate, second: secondOf(2300) },
      FACTS,
    );
    expect(more).toEqual([]);
    expect(warning).toContain("power.draw.average says 2431 J (2410 to 2452)");
    expect(warning).toContain("power.draw.instant 2300 J (2290 to 2310)");
    expect(warning).toMatch(/5\.4 % apart.*another time.*gain/);
    expect(windowWarnings({ ...window, estimate, second: secondOf(2600) }, FACTS)).toHaveLength(1);
  });

  test("not two columns whose intervals meet, nor one that has nothing to be held against", () => {
    expect(windowWarnings({ ...window, estimate, second: secondOf(2420) }, FACTS)).toEqual([]);
    expect(windowWarnings({ ...window, estimate, second: secondOf(2400) }, FACTS)).toEqual([]);
    const lone = windowWarnings({ ...window, windowS: 60, second: secondOf(1) }, FACTS);
    expect(lone).toEqual([]);
  });
});
