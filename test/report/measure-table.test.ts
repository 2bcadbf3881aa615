import { describe, expect, test } from "vitest";
import type { EnergyEstimate } from "../../src/energy/energy-estimate.ts";
import type { MeasuredRailWindow } from "../../src/rails/source.ts";
import { measureJson } from "../../src/records/measure-json.ts";
import type { MeasureResult } from "../../src/records/measure-result.ts";
import { measureTable } from "../../src/report/measure-table.ts";
import { record, UNBRACKETED } from "./records.ts";

const estimate: EnergyEstimate = { energyJ: 2431, loJ: 2410, hiJ: 2452, method: "quiet_edges" };
const own = { windowS: 6, samples: 24, energyJ: 2251.3, meanPowerW: 375.2, maxPowerW: 401 };
const window: MeasuredRailWindow = {
  state: "measured",
  startMs: 1000,
  endMs: 7000,
  ...own,
  byDevice: { "GPU-0000": own },
  reasons: [],
};

function resultOf(more: Partial<MeasureResult>): MeasureResult {
  const { rail, idle } = record([]);
  return {
    command: "train",
    startedAt: "2026-03-01T12:00:00.000Z",
    end: { startMs: 1000, endMs: 7000, exitCode: 0 },
    rail: rail!,
    idle: idle!,
    window,
    metrics: {},
    validity: [],
    warnings: [],
    log: [],
    ...more,
  };
}

function tableOf(more: Partial<MeasureResult>, width = 100): string {
  return measureTable(resultOf(more), { hasColour: false, width });
}

describe("what measure shows", () => {
  test("is the estimate with its interval, and the plain integral under its own name", () => {
    const table = tableOf({ window: { ...window, estimate } });
    expect(table).toMatch(/^ {2}energy +2,431 J \(2,410–2,452\)$/m);
    expect(table).toMatch(/^ {2}plain integral +2,251\.3 J, of the readings as they came$/m);
    // 92.1 W for 6 s is 552.6 J.
    expect(table).toMatch(/^ {2}above idle +1,878 J \(1,857–1,899\), idle 92\.1 W/m);
  });

  test.each([100, 80])("is another column on the same line of %i, where one was read", (width) => {
    const second = {
      field: "power.draw.instant",
      estimate: { energyJ: 2420, loJ: 2400, hiJ: 2440, method: "instant" },
    } as const;
    const table = tableOf({ window: { ...window, estimate, second } }, width);
    expect(table).toContain("2,431 J (2,410–2,452) · power.draw.instant 2,420.0 J, −0.5 %");
  });

  test("is a plain integral that is called so, and why there is no more", () => {
    const table = tableOf({ validity: [UNBRACKETED] });
    expect(table).toMatch(
      /^ {2}energy +2,251\.3 J by the plain integral; no estimate \(see below\)$/m,
    );
    expect(table).toMatch(/^ {2}above idle +.* by the plain integral/m);
    expect(table).toMatch(/refused +rail_not_bracketed: GPU 0: the readings do not reach/);
  });

  test("is of several devices each one's estimate", () => {
    const byDevice = { a: { ...own, estimate }, b: { ...own, energyJ: 7 } };
    const table = tableOf({ window: { ...window, estimate, byDevice } });
    expect(table).toMatch(/2,431 J \(2,410–2,452\), mean 375\.2 W {2}a/);
    expect(table).toMatch(/7\.00 J, mean 375\.2 W {2}b/);
  });

  test("names the method in its JSON, where there is an estimate", () => {
    expect(measureJson(resultOf({ window: { ...window, estimate } }))).toMatchObject({
      energyMethod: "quiet_edges",
    });
    expect(measureJson(resultOf({}))).not.toHaveProperty("energyMethod");
  });
});
