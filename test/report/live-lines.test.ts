import { describe, expect, test } from "vitest";
import type { RunNow } from "../../src/benchmarks/run-progress.ts";
import { liveLines } from "../../src/report/live-lines.ts";
import { cell } from "./records.ts";

const NOW: RunNow = {
  phase: "window",
  cell: cell(4),
  cellsDone: 2,
  cells: 6,
  inFlight: 4,
  endedRequests: 8,
  failedRequests: 0,
  tokensPerS: 212.4,
  powerW: 318.44,
  startedMs: 1000,
};
const FACTS = { now: NOW, atMs: 61_000, phaseStartMs: 57_000, runLeftS: 80 };

describe("the live display", () => {
  test("shows the cell, its phase, how far it is, and the run", () => {
    expect(liveLines(FACTS, 100)).toEqual([
      "3/6 · 4 at once · measuring · ━━━━━━━━━━╌╌╌╌╌╌╌╌╌╌ · 8 of 16 done · about 4 s left",
      "4 in flight · 212 tok/s · 318 W · 1:00, about 80 s left",
    ]);
  });

  test("shows what is not known not at all", () => {
    const { tokensPerS, powerW, cell: _, phase, ...bare } = NOW;
    const { runLeftS, ...facts } = FACTS;
    expect(liveLines({ ...facts, now: bare }, 100)).toEqual(["starting", "4 in flight · 1:00"]);
  });

  test("counts down a phase of a known length", () => {
    const now = { ...NOW, phase: "settle", inFlight: 0 } as const;
    const [first] = liveLines({ ...FACTS, now, phaseS: 10 }, 60);
    expect(first).toBe("3/6 · 4 at once · quiet time · ━━━━━╌╌╌╌╌╌╌ · 6 s left");
    const [late] = liveLines({ ...FACTS, now, phaseS: 3 }, 60);
    expect(late).toBe("3/6 · 4 at once · quiet time · ━━━━━━━━━━━━");
  });

  test("shows no rate while no request is sent", () => {
    const rates = (["settle", "baseline", "warm-up", "window"] as const).map(
      (phase) => liveLines({ ...FACTS, now: { ...NOW, phase } }, 100)[1],
    );
    expect(rates.map((line) => line.includes("tok/s"))).toEqual([false, false, true, true]);
  });

  test("counts a window by its time where that ends it", () => {
    const { requests, ...timed } = cell(4, { durationS: 8 });
    const [first] = liveLines({ ...FACTS, now: { ...NOW, cell: timed } }, 80);
    expect(first).toBe("3/6 · 4 at once · measuring · ━━━━━━━━╌╌╌╌╌╌╌╌ · 8 done · 4 s left");
  });

  test("says aloud that requests failed", () => {
    expect(liveLines({ ...FACTS, now: { ...NOW, failedRequests: 3 } }, 100)[1]).toContain(
      "3 FAILED",
    );
  });

  test.each([100, 60, 40, 20, 8, 1])("fits %d columns", (width) => {
    const now = { ...NOW, failedRequests: 1234, cell: cell(4, { label: "x".repeat(90) }) };
    for (const line of liveLines({ ...FACTS, now }, width))
      expect(line.length).toBeLessThanOrEqual(width);
  });

  test("gives up the bar before the words, and all else before the phase", () => {
    expect(liveLines(FACTS, 55)[0]).toBe("3/6 · 4 at once · measuring · 8 of 16 done");
    expect(liveLines(FACTS, 12)[0]).toBe("measuring");
  });
});
