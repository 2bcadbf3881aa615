import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { deriveRecord } from "../../src/records/rederive.ts";
import type { RunRecord } from "../../src/records/run-record.ts";
import { failedLine } from "./support/lines.ts";
import { schemaErrors } from "./support/record-schema.ts";
import { headerOf, type RawRun, REQUESTS, smallRun, writeRun } from "./support/small-run.ts";

const derived = (more: Partial<RawRun> = {}): Promise<RunRecord> =>
  deriveRecord(writeRun(smallRun(more)));

describe("the JSON Schema", () => {
  test("holds for records of every kind of end", async () => {
    const { events } = smallRun();
    const failing = REQUESTS.map((line, i) =>
      i === 2 ? failedLine(line.index, 1010, { errorKind: "timeout" }) : line,
    );
    const records = await Promise.all([
      derived(),
      derived({ events: events.slice(0, 7) }),
      derived({ events: [], rail: [], requests: [], log: [] }),
      derived({ requests: failing }),
      derived({ requests: REQUESTS.slice(0, 3) }),
      derived({ header: headerOf({ benchmark: "decode-floor" }) }),
    ]);
    for (const record of records) expect(schemaErrors(record)).toEqual([]);
    expect(records.map(({ cells }) => cells[0]!.state)).toEqual([
      "measured",
      "measured",
      "not measured",
      "measured",
      "interrupted",
      "measured",
    ]);
  });

  test.each<readonly [string, (record: RunRecord) => object]>([
    ["/schema", (record) => ({ ...record, schema: "joulemark.record/2" })],
    ["/metrics/x", (record) => ({ ...record, metrics: { x: null } })],
    ["/metrics", (record) => ({ ...record, metrics: { "A key": 1 } })],
    ["/cells/0", (record) => ({ ...record, cells: [{ ...record.cells[0]!, oddMs: 1 }] })],
    [
      "/cells/0/state",
      (record) => ({ ...record, cells: [{ ...record.cells[0]!, state: "fine" }] }),
    ],
    ["", (record) => ({ ...record, apiKey: "k" })],
    ["", ({ damage: _none, ...record }) => record],
  ])("refuses what is wrong at %s", async (path, change) => {
    const errors = schemaErrors(change(await derived()));
    expect(errors.map((error) => error.split(" ")[0])).toContain(path);
  });

  test("ships in the package", () => {
    const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
    const { exports, files } = JSON.parse(text);
    expect(exports["./schema/record-1.json"]).toBe("./schema/record-1.json");
    expect(files).toContain("schema");
  });
});
