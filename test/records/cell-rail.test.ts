import { describe, expect, test } from "vitest";
import { deriveRecord } from "../../src/records/rederive.ts";
import type { CellRecord, RunRecord } from "../../src/records/run-record.ts";
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

const derived = (more: Partial<RawRun> = {}): Promise<RunRecord> =>
  deriveRecord(writeRun(smallRun(more)));

/** The rail of a small run, with these watts. */
const railOf = (powerW: (atMs: number) => number, facts = FACTS): RawRun["rail"] => [
  { kind: "segment", segment: 0 },
  { kind: "facts", facts },
  ...readings(2900, powerW),
];

const idleAlways = railOf((atMs) => 100 + (atMs % 300) / 1000);

const reasonsOf = ({ validity }: CellRecord): string[] => validity.map(({ reason }) => reason);

const energyKeys = (cell: CellRecord): string[] =>
  Object.keys(cell.metrics).filter((key) => key.includes("_rail_"));

describe("watts that do not answer to the server's work", () => {
  test("refuse every energy figure of the cell, of its steady part too", async () => {
    const { cells, damage } = await derived({ rail: idleAlways });
    expect(damage).toEqual([]);
    for (const cell of cells) {
      expect(reasonsOf(cell)).toEqual(["rail_unresponsive"]);
      expect(energyKeys(cell)).toEqual([]);
      expect(cell.isComparable).toBe(true);
    }
    expect(cells[0]!.metrics).toMatchObject({
      output_tok_s: 24,
      steady_output_tok_s: expect.any(Number),
    });
  });

  test("refuse nothing where they rose by a watt", async () => {
    const { cells } = await derived({ rail: railOf((atMs) => (atMs < 1000 ? 100 : 101)) });
    expect(reasonsOf(cells[0]!)).toEqual([]);
    expect(energyKeys(cells[0]!)).toContain("gpu_rail_energy_j");
  });

  test("refuse nothing where no token came: nothing had to move", async () => {
    const requests = REQUESTS.map((line) =>
      line.cell === 0 && line.phase === "window" ? failedLine(line.index, line.startedMs) : line,
    );
    const { cells } = await derived({ rail: idleAlways, requests });
    expect(reasonsOf(cells[0]!)).toEqual(["errors"]);
    expect(energyKeys(cells[0]!)).toContain("gpu_rail_energy_j");
  });

  test("refuse a cell whose tokens nobody can place in time: it worked all the same", async () => {
    const requests = REQUESTS.map((line) => {
      if (line.cell !== 0 || line.phase !== "window") return line;
      const { gapsUs: _gaps, firstTokenMs: _first, lastTokenMs: _last, ...rest } = line;
      return { ...rest, tokenEvents: 0 };
    });
    const { cells } = await derived({ rail: idleAlways, requests });
    expect(reasonsOf(cells[0]!)).toEqual(["rail_unresponsive", "tokens_unknown"]);
  });

  test.each([
    { what: "was not taken", meter: { idleReasons: [] }, idle: undefined },
    {
      what: "was not quiet",
      meter: {
        idleReasons: [{ reason: "idle_not_quiet", refuses: "above_idle", detail: "x" } as const],
      },
      idle: METER.idle,
    },
  ])("are not known where the baseline $what", async ({ meter, idle }) => {
    const { idle: _idle, ...rest } = METER;
    const changed = { ...rest, ...meter, ...(idle === undefined ? {} : { idle }) };
    const events = smallRun().events.map((event) => (event.event === "meter" ? changed : event));
    const { cells } = await derived({ rail: idleAlways, events });
    expect(reasonsOf(cells[0]!)).not.toContain("rail_unresponsive");
    expect(energyKeys(cells[0]!)).toContain("gpu_rail_energy_j");
  });

  test("are not judged in a window too short for the sensor to show them", async () => {
    const sensor = { ...FACTS.sensor, averagingMs: 260 };
    const { cells } = await derived({
      rail: railOf((atMs) => 100 + (atMs % 300) / 1000, { ...FACTS, sensor }),
    });
    expect(reasonsOf(cells[0]!)).toEqual([]);
  });

  test("are held to the baseline of their own run, however long ago that was", async () => {
    // A run keeps readings for an hour; the record is made of all of them.
    const atMs = 5 * 3_600_000;
    const events = [
      segmentEvent(0),
      METER,
      { event: "cell_started", atMs, cell: 1 } as const,
      windowEvent(1, atMs, { railLines: 20 }),
      { event: "ended", atMs: atMs + 2000, isInterrupted: false } as const,
    ];
    const shift = <T extends RawRun["rail"][number]>(line: T) =>
      line.kind === "read"
        ? {
            ...line,
            atMs: line.atMs + atMs,
            samples: line.samples.map((one) => ({ ...one, atMs: one.atMs + atMs })),
          }
        : line;
    const rail = [...idleAlways.slice(0, 12), ...readings(900, () => 100.1).map(shift)];
    const requests = [lineOf(0, atMs, { cell: 1 }), lineOf(1, atMs + 200, { cell: 1 })];
    const { cells } = await derived({ events, rail, requests });
    expect(reasonsOf(cells[1]!)).toContain("rail_unresponsive");
  });
});

describe("what was seen beside the readings of a window", () => {
  const foreign = {
    reason: "rail_foreign_load",
    refuses: "energy",
    detail: "pid 7 works",
  } as const;
  const withSeen = (seen: object) =>
    smallRun().events.map((event) =>
      event.event === "window" && event.cell === 0 ? { ...event, ...seen } : event,
    );

  test("refuses every energy figure of that cell, and of no other", async () => {
    const { cells, damage } = await derived({ events: withSeen({ reasons: [foreign] }) });
    expect(damage).toEqual([]);
    expect(cells[0]!.validity).toEqual([foreign]);
    expect(energyKeys(cells[0]!)).toEqual([]);
    expect(cells[1]!.validity).toEqual([]);
    expect(energyKeys(cells[1]!)).toContain("gpu_rail_energy_j");
  });

  test("is a warning of the cell where it refuses nothing", async () => {
    const { cells } = await derived({ events: withSeen({ warnings: ["pid 7 came"] }) });
    expect(cells[0]!.warnings).toContain("pid 7 came");
    expect(energyKeys(cells[0]!)).toContain("gpu_rail_energy_j");
  });

  test("stands beside the readings' own reasons", async () => {
    const rail = smallRun().rail.filter((line) => line.kind !== "read" || line.atMs < 1000);
    const events = withSeen({ reasons: [foreign] });
    const { cells } = await derived({ rail, events });
    expect(reasonsOf(cells[0]!)).toEqual(
      expect.arrayContaining(["rail_foreign_load", "rail_no_samples"]),
    );
  });

  test("that is no list of reasons damages its line, and does no more", async () => {
    const { damage, cells } = await derived({ events: withSeen({ reasons: [7] }) as never });
    expect(damage).toEqual([expect.stringContaining("events.jsonl")]);
    expect(cells[0]!.state).toBe("interrupted");
  });
});
