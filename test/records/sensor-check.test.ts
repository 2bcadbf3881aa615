import { describe, expect, test } from "vitest";
import { deriveRecord } from "../../src/records/rederive.ts";
import type { RunEvent } from "../../src/records/run-event.ts";
import { schemaErrors } from "./support/record-schema.ts";
import { FACTS, smallRun, writeRun } from "./support/small-run.ts";

type SensorCheckEvent = Extract<RunEvent, { event: "sensor_check" }>;

const CHECK: SensorCheckEvent = {
  event: "sensor_check",
  atMs: 1900,
  railLines: 20,
  device: "GPU-a",
  declaredMs: 100,
  averagingMs: 1000,
  loMs: 900,
  hiMs: 1100,
  how: "edges",
  verdict: "differs",
};

/** The small run with a check of its sensor behind the first cell. */
async function recordWith(check: object) {
  const { events } = smallRun();
  const at = events.findIndex(({ event }) => event === "cell_ended");
  const more = [...events.slice(0, at), check as RunEvent, ...events.slice(at)];
  return deriveRecord(writeRun(smallRun({ events: more })));
}

describe("a check of the sensor in the record", () => {
  test("that differs is a warning and stands in the rail's facts", async () => {
    const record = await recordWith(CHECK);
    const { event: _event, atMs: _at, railLines: _lines, ...check } = CHECK;
    expect(record.sensorChecks).toEqual([check]);
    expect(record.rail!.sensor).toEqual({ ...FACTS.sensor, otherAveragingMs: 1000 });
    expect(record.warnings).toEqual([expect.stringContaining("but 100 ms is declared")]);
    expect(record.warnings[0]).toContain("GPU 0 (NVIDIA X)");
    expect(schemaErrors(record)).toEqual([]);
  });

  test("that agrees changes nothing", async () => {
    const record = await recordWith({ ...CHECK, averagingMs: 100, verdict: "agrees" });
    expect(record.sensorChecks).toMatchObject([{ verdict: "agrees" }]);
    expect(record.rail).toEqual(FACTS);
    expect(record.warnings).toEqual([]);
    expect(schemaErrors(record)).toEqual([]);
  });

  test("is absent where none was clear", async () => {
    const record = await deriveRecord(writeRun(smallRun()));
    expect(record).not.toHaveProperty("sensorChecks");
  });

  test.each([
    { averagingMs: -1 },
    { verdict: "perhaps" },
    { declaredMs: "1000" },
    { railLines: 0.5 },
  ])("that is damaged (%o) is left out and told", async (wrong) => {
    const record = await recordWith({ ...CHECK, ...wrong });
    expect(record.damage).toHaveLength(1);
    expect(record).not.toHaveProperty("sensorChecks");
    expect(record.rail).toEqual(FACTS);
  });
});

describe("facts of a rail in the record", () => {
  test("keep the second column, a gain and why no estimate can be", async () => {
    const facts = {
      ...FACTS,
      devices: [{ ...FACTS.devices[0]!, gain: 1.05 }],
      unmodelled: "it creeps",
      second: { field: "power.draw.instant", sensor: FACTS.sensor },
    };
    const rail = smallRun().rail.map((line) => (line.kind === "facts" ? { ...line, facts } : line));
    const record = await deriveRecord(writeRun(smallRun({ rail })));
    expect(record.damage).toEqual([]);
    expect(record.rail).toEqual(facts);
    expect(schemaErrors(record)).toEqual([]);
  });
});
