import { describe, expect, test } from "vitest";
import { deriveRecord } from "../../src/records/rederive.ts";
import type { RunEvent } from "../../src/records/run-event.ts";
import type { RunRecord } from "../../src/records/run-record.ts";
import { failedLine, lineOf } from "./support/lines.ts";
import {
  FACTS,
  METER,
  type RawRun,
  REQUESTS,
  readings,
  segmentEvent,
  smallRun,
  windowEvent,
  writeRun,
} from "./support/small-run.ts";

const derived = (more: Partial<RawRun>): Promise<RunRecord> =>
  deriveRecord(writeRun(smallRun(more)));

/** A second segment that measures cell 1 again, ended as `more` says. */
function resumed(more: Parameters<typeof windowEvent>[2]): RawRun {
  const again = { cell: 1, segment: 1 };
  return smallRun({
    events: [
      ...smallRun().events,
      segmentEvent(1),
      METER,
      { event: "cell_started", atMs: 1900, cell: 1 },
      windowEvent(1, 2000, more),
      { event: "ended", atMs: 2900, isInterrupted: more?.stopped !== undefined },
    ],
    rail: [
      ...smallRun().rail,
      { kind: "segment", segment: 1 },
      { kind: "facts", facts: FACTS },
      ...readings(2900, (atMs) => (atMs < 1000 ? 100 : 200)),
    ],
    requests: [...REQUESTS, lineOf(0, 2000, again), lineOf(1, 2200, again)],
  });
}

describe("a run that was killed", () => {
  test("inside a window tells how the cell's requests ended, and no figure of it", async () => {
    const events = smallRun().events.slice(0, 7);
    const requests = [...REQUESTS.slice(0, -1), failedLine(1, 2200, { cell: 1 })];
    const { cells, interrupted, metrics } = await derived({ events, requests });
    expect(interrupted).toBe(true);
    expect(cells.map(({ state }) => state)).toEqual(["measured", "interrupted"]);
    expect(cells[1]).toMatchObject({
      counts: { ok: 1, failed: 1, failedByKind: { http_status: 1 } },
      metrics: {},
      isComparable: false,
      validity: [{ reason: "interrupted", refuses: "comparison" }],
    });
    expect(Object.keys(metrics).filter((key) => key.startsWith("c1_"))).toEqual([]);
  });

  test("in a warm-up counts none of its requests", async () => {
    const requests = REQUESTS.slice(0, 5).concat(lineOf(0, 1900, { cell: 1, phase: "warm-up" }));
    const { cells } = await derived({ events: smallRun().events.slice(0, 7), requests });
    expect(cells[1]!.counts).toMatchObject({ ok: 0, failed: 0 });
  });

  test("before a cell says that this one was never begun", async () => {
    const { cells } = await derived({ events: smallRun().events.slice(0, 6) });
    expect(cells[1]).toMatchObject({ state: "not measured", metrics: {}, isComparable: false });
    expect(cells[1]!.counts).toBeUndefined();
    expect(cells[1]!.validity[0]!.detail).toBe("the run ended before it was begun");
  });

  test("of its window's requests a lost one leaves counts of the others", async () => {
    const { cells, damage } = await derived({ requests: REQUESTS.slice(0, -1) });
    expect(damage.join()).toContain("1 lines of the 2 requests of cell 1");
    expect(cells[1]).toMatchObject({ state: "interrupted", counts: { ok: 1 }, metrics: {} });
  });

  test("counts only what the last start of a cell sent", async () => {
    const restarted: RunEvent[] = [segmentEvent(1), { event: "cell_started", atMs: 1900, cell: 1 }];
    const events = [...smallRun().events.slice(0, 7), ...restarted];
    const requests = [...REQUESTS, lineOf(0, 2000, { cell: 1, segment: 1 })];
    expect((await derived({ events, requests })).cells[1]!.counts).toMatchObject({ ok: 1 });
  });
});

describe("a cell that was measured again", () => {
  test("is what its last whole measurement says", async () => {
    const { cells } = await deriveRecord(writeRun(resumed({})));
    expect(cells[1]).toMatchObject({ state: "measured", metrics: { gpu_rail_energy_j: 100 } });
  });

  test("and interrupted then stays what it was before", async () => {
    const { cells } = await deriveRecord(writeRun(resumed({ stopped: "interrupted" })));
    expect(cells[1]).toMatchObject({ state: "measured", metrics: { gpu_rail_energy_j: 150 } });
  });
});
