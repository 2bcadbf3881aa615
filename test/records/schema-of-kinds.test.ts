import { describe, expect, test } from "vitest";
import { deriveRecord } from "../../src/records/rederive.ts";
import type { RunRecord } from "../../src/records/run-record.ts";
import { failedLine } from "./support/lines.ts";
import { schemaErrors } from "./support/record-schema.ts";
import {
  CELLS,
  headerOf,
  type RawRun,
  smallRun,
  windowEvent,
  writeRun,
} from "./support/small-run.ts";

async function record(more: Partial<RawRun> = {}): Promise<RunRecord> {
  return deriveRecord(writeRun(smallRun(more)));
}

describe("the schema that the package ships names every field of", () => {
  test("a whole run", async () => {
    expect(schemaErrors(await record())).toEqual([]);
  });

  test("a run without a rail, and one that was killed", async () => {
    const detail = "no nvidia-smi";
    const absent = { reason: "rail_unreadable", refuses: "energy", detail } as const;
    const events = smallRun().events.map((event) => {
      if (event.event === "window") return { ...event, railLines: 0 };
      if (event.event !== "meter") return event;
      const { idle: _idle, ...rest } = event;
      return { ...rest, railLines: 0, absent };
    });
    expect(schemaErrors(await record({ events, rail: [] }))).toEqual([]);
    expect(schemaErrors(await record({ events: smallRun().events.slice(0, 4) }))).toEqual([]);
    expect(schemaErrors(await record({ events: [], rail: [], requests: [], log: [] }))).toEqual([]);
  });

  test("a run with failures, repeats and a damaged file", async () => {
    const cells = CELLS.map((plan) => ({ ...plan, prefix: "c2_", repeat: plan.cell }));
    const requests = smallRun().requests.map((line) =>
      line.index === 1 ? failedLine(1, line.startedMs, { cell: line.cell }) : line,
    );
    const log = [{ level: "loud" }];
    const found = await record({ header: headerOf({ cells }), requests, log });
    expect(found.damage.length).toBeGreaterThan(0);
    expect(found.cells[0]!.counts!.failed).toBe(1);
    expect(schemaErrors(found)).toEqual([]);
  });

  test("a decode floor", async () => {
    const one = { requests: 1, concurrency: 1, prefix: "", outputTokens: 3 };
    const header = headerOf({
      benchmark: "decode-floor",
      cells: CELLS.map((plan) => ({ ...plan, ...one })),
    });
    const requests = smallRun().requests.filter(
      ({ index, phase }) => index === 0 && phase === "window",
    );
    const events = smallRun().events.map((event) =>
      event.event === "window" ? windowEvent(event.cell, event.startMs, { requests: 1 }) : event,
    );
    const found = await record({ header, requests, events });
    expect(found.verdict?.verdict).toBe("measured");
    expect(schemaErrors(found)).toEqual([]);
  });
});
