import { expect, test } from "vitest";
import { type TenantLoad, tenantEnergyJ } from "../../../src/engine/power/tenant.ts";

const S = 1e9;
const WAVE: TenantLoad = { kind: "square", lowW: 20, highW: 220, periodMs: 1000, highMs: 250 };

test("a constant load is watts by seconds", () => {
  expect(tenantEnergyJ({ kind: "constant", powerW: 80 }, -1 * S, 2 * S)).toBe(240);
});

test.each([
  { what: "a whole period", startS: 0, endS: 1, energyJ: 55 + 15 },
  { what: "the high part", startS: 0, endS: 0.25, energyJ: 55 },
  { what: "the low part", startS: 0.25, endS: 1, energyJ: 15 },
  { what: "a cut across an edge", startS: 0.2, endS: 0.35, energyJ: 11 + 2 },
  { what: "many periods, also before time 0", startS: -3, endS: 4, energyJ: 7 * 70 },
  { what: "a part before time 0", startS: -1, endS: -0.9, energyJ: 22 },
])("the energy of $what of a wave is exact", ({ startS, endS, energyJ }) => {
  expect(tenantEnergyJ(WAVE, startS * S, endS * S)).toBeCloseTo(energyJ, 9);
});
