import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { deriveRecord } from "../../src/records/rederive.ts";
import type { RunRecord } from "../../src/records/run-record.ts";
import { failedLine } from "./support/lines.ts";
import {
  CELLS,
  headerOf,
  type RawRun,
  smallRun,
  windowEvent,
  writeRun,
} from "./support/small-run.ts";

const SCHEMA: unknown = JSON.parse(
  readFileSync(new URL("../../schema/record-1.json", import.meta.url), "utf8"),
);

/** The schema with every object closed, so that a field that it does not name is an error. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const all = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value)]),
  );
  return "properties" in all && !("additionalProperties" in all)
    ? { ...all, additionalProperties: false }
    : all;
}

const ajv = new Ajv2020({ allErrors: true });
const isValid = ajv.compile(SCHEMA as object);
const isExact = new Ajv2020({ allErrors: true }).compile(closed(SCHEMA) as object);

async function record(more: Partial<RawRun> = {}): Promise<RunRecord> {
  return JSON.parse(JSON.stringify(await deriveRecord(writeRun(smallRun(more))))) as RunRecord;
}

function problemsOf(value: unknown): unknown {
  return isExact(value) ? [] : isExact.errors;
}

describe("the schema that the package ships names every field of", () => {
  test("a whole run", async () => {
    expect(problemsOf(await record())).toEqual([]);
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
    expect(problemsOf(await record({ events, rail: [] }))).toEqual([]);
    expect(problemsOf(await record({ events: smallRun().events.slice(0, 4) }))).toEqual([]);
    expect(problemsOf(await record({ events: [], rail: [], requests: [], log: [] }))).toEqual([]);
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
    expect(problemsOf(found)).toEqual([]);
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
    expect(problemsOf(found)).toEqual([]);
  });
});

describe("the schema refuses", () => {
  test("another version, a figure that is no number, a reason that nobody knows", async () => {
    const right = await record();
    expect(isValid(right)).toBe(true);
    expect(isValid({ ...right, schema: "joulemark.record/2" })).toBe(false);
    expect(isValid({ ...right, metrics: { c2_window_s: null } })).toBe(false);
    expect(isValid({ ...right, metrics: { "c2 window": 1 } })).toBe(false);
    const reason = { reason: "bad_luck", refuses: "energy", detail: "" };
    expect(isValid({ ...right, validity: [reason] })).toBe(false);
    const { damage: _damage, ...without } = right;
    expect(isValid(without)).toBe(false);
  });

  test("nothing that a later version of it may add", async () => {
    expect(isValid({ ...(await record()), somethingNew: 1 })).toBe(true);
  });
});
