import { describe, expect, test } from "vitest";
import { type ForeignProcess, foreignWork } from "../../src/rails/foreign-work.ts";

const idle = (pid: number): ForeignProcess => ({ pid, label: `pid ${pid}`, smPercent: 0 });
const busy = (pid: number): ForeignProcess => ({ ...idle(pid), smPercent: 40 });
const untold = (pid: number): ForeignProcess => ({ pid, label: `pid ${pid}` });
const NOTHING = { reasons: [], warnings: [] };

describe("foreignWork", () => {
  test("a process that has a context and does not work refuses nothing", () => {
    expect(foreignWork([idle(7)], [idle(7)])).toEqual(NOTHING);
    expect(foreignWork([untold(7)], [untold(7)])).toEqual(NOTHING);
    expect(foreignWork([], [])).toEqual(NOTHING);
  });

  test("one that works before the window or after it refuses its energy", () => {
    for (const [before, after] of [
      [[busy(7)], [busy(7)]],
      [[busy(7)], [idle(7)]],
      [[idle(7)], [busy(7)]],
      [[busy(7)], []],
      [[], [busy(7)]],
    ] as const) {
      const { reasons, warnings } = foreignWork(before, after);
      expect(reasons).toMatchObject([{ reason: "rail_foreign_load", refuses: "energy" }]);
      expect(reasons[0]!.detail).toContain("pid 7, 40 % of the time");
      expect(warnings).toEqual([]);
    }
  });

  test("one that came or went is a warning while nobody saw it work", () => {
    expect(foreignWork([], [idle(7)])).toMatchObject({
      reasons: [],
      warnings: [expect.stringContaining("pid 7 came to the serving GPUs")],
    });
    expect(foreignWork([untold(7), idle(8)], [idle(8)])).toMatchObject({
      reasons: [],
      warnings: [expect.stringContaining("pid 7 left the serving GPUs")],
    });
  });

  test("at the first look nobody has come", () => {
    expect(foreignWork(undefined, [idle(7)])).toEqual(NOTHING);
    expect(foreignWork(undefined, [busy(7)]).reasons).toHaveLength(1);
  });
});
