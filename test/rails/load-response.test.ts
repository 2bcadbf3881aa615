import { describe, expect, test } from "vitest";
import type { DeviceSeries } from "../../src/rails/judge-window.ts";
import { loadResponse } from "../../src/rails/load-response.ts";
import { every } from "../energy/samples.ts";

const facts = { sensor: { averagingMs: 1000, updateMs: 100, kind: "average" } } as const;
const levels = new Map([
  ["a", { meanW: 60, spreadW: 0.2 }],
  ["b", { meanW: 60, spreadW: 0.2 }],
]);

const device = (id: string, index: number, powerW: number): DeviceSeries => ({
  device: { id, index },
  samples: every(250, 0, 10_000, (atMs) => powerW + (atMs % 3) / 10),
  droppedUntilMs: Number.NEGATIVE_INFINITY,
});

const found = (...series: readonly DeviceSeries[]) =>
  loadResponse(series, levels, 1000, 9000, facts);

describe("loadResponse", () => {
  test("when no device moved, the watts are not this server's", () => {
    for (const series of [[device("a", 0, 60)], [device("a", 0, 60), device("b", 1, 60)]]) {
      const { reasons, warnings } = found(...series);
      expect(reasons).toMatchObject([{ reason: "rail_unresponsive", refuses: "energy" }]);
      expect(reasons[0]!.detail).toMatch(/GPU 0 stayed at its idle 60\.0 W/);
      for (const help of ["tunnel", "container", "CPU", "--rail-devices"])
        expect(reasons[0]!.detail).toContain(help);
      expect(warnings).toEqual([]);
    }
  });

  test("a first device that is idle beside one that works is a warning which names it", () => {
    const { reasons, warnings } = found(device("a", 0, 60), device("b", 1, 90));
    expect(reasons).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining("GPU 0 stayed at its idle")]);
    expect(warnings[0]).not.toContain("GPU 1");
  });

  test("devices that all moved are worth no word", () => {
    expect(found(device("a", 0, 90), device("b", 1, 62))).toEqual({ reasons: [], warnings: [] });
  });

  test("without a baseline of each, nothing is said of all", () => {
    expect(found(device("a", 0, 60), device("c", 2, 60)).reasons).toEqual([]);
    expect(loadResponse([device("a", 0, 60)], new Map(), 1000, 9000, facts).reasons).toEqual([]);
  });
});
