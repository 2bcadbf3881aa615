import { describe, expect, test } from "vitest";
import { checkResumable, missingCells } from "../../src/benchmarks/resume.ts";
import { deriveRecord } from "../../src/records/rederive.ts";
import { CELLS, smallRun, writeRun } from "../records/support/small-run.ts";

const SPEC = { benchmark: "sweep", cells: CELLS, model: "m" } as const;

describe("a run that is to go on", () => {
  test("must have been planned so, and be of the same model", async () => {
    const record = await deriveRecord(writeRun(smallRun()));
    const check = (more: object) => () => checkResumable(record, { ...SPEC, ...more }, "RUN");
    expect(check({})).not.toThrow();
    expect(check({ benchmark: "decode-floor" })).toThrow("it is a sweep, not a decode-floor");
    expect(check({ model: "n" })).toThrow("--resume RUN: it measured the model m, this is n");
    expect(check({ cells: CELLS.slice(1) })).toThrow("its cells are others");
    const longer = CELLS.map((cell) => ({ ...cell, outputTokens: 9 }));
    expect(check({ cells: longer })).toThrow("its cells are others");
  });

  test("has the cells before it that were not measured to their end", async () => {
    const { events } = smallRun();
    const record = await deriveRecord(writeRun(smallRun({ events: events.slice(0, 7) })));
    expect(missingCells(record, CELLS).map(({ cell }) => cell)).toEqual([1]);
    const none = await deriveRecord(writeRun(smallRun({ events: [] })));
    expect(missingCells(none, CELLS)).toEqual(CELLS);
  });
});
