import { describe, expect, test } from "vitest";
import { truthTable } from "../../src/report/truth-table.ts";
import { cell, estimated, refused } from "./records.ts";

const truth = { energyJ: 2000, tokens: 1000, ttftMs: 40.2 };
const { metrics, ...rest } = cell(4);
const one = {
  ...rest,
  metrics: { ...metrics, gpu_rail_joules_per_token: 1.8, ...estimated(2010, 1000) },
};

describe("the truth beside what was measured", () => {
  test("is held against the estimate and against the plain integral", () => {
    const table = truthTable([[one, truth]], { hasColour: false, width: 120 });
    const row = table.split("\n").at(-1)!;
    expect(row).toContain("2.0100 (1.9899–2.0401)");
    expect(row).toMatch(/2\.0000 +\+0\.5 +1\.8000 +−10\.0/);
    expect(row).toContain("40.2");
  });

  test("has no figure where none was measured", () => {
    const row = truthTable([[refused(4), truth]], { hasColour: false, width: 120 })
      .split("\n")
      .at(-1);
    expect(row).toMatch(/— +2\.0000 +— +— +—/);
  });

  test.each([100, 80])("keeps the joules where there is room for %i characters", (width) => {
    const lines = truthTable([[one, truth]], { hasColour: false, width }).split("\n");
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
    expect(lines.at(-1)).toMatch(/\+0\.5 .*−10\.0/);
  });
});
