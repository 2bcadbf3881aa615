import { describe, expect, test } from "vitest";
import {
  checkResumable,
  checkSameRail,
  checkSameServer,
  checkSameTarget,
  missingCells,
} from "../../src/benchmarks/resume.ts";
import { deriveRecord } from "../../src/records/rederive.ts";
import { CELLS, smallRun, writeRun } from "../records/support/small-run.ts";

const SPEC = { benchmark: "sweep", cells: CELLS } as const;

describe("a run that is to go on", () => {
  test("must have been planned so", async () => {
    const record = await deriveRecord(writeRun(smallRun()));
    const check = (more: object) => () => checkResumable(record, { ...SPEC, ...more }, "RUN");
    expect(check({})).not.toThrow();
    expect(check({ benchmark: "decode-floor" })).toThrow("it is a sweep, not a decode-floor");
    expect(check({ cells: CELLS.slice(1) })).toThrow("its cells are others");
    const longer = CELLS.map((cell) => ({ ...cell, outputTokens: 9 }));
    expect(check({ cells: longer })).toThrow("its cells are others");
  });

  test("must be of the same model, endpoint, server and devices", async () => {
    const record = await deriveRecord(writeRun(smallRun()));
    const { target, rail } = record;
    expect(() => checkSameTarget(record, target, "RUN")).not.toThrow();
    expect(() => checkSameTarget(record, { ...target, model: "n" }, "RUN")).toThrow(
      "--resume RUN: it measured the model m, this is n",
    );
    const elsewhere = { ...target, requestUrl: "http://127.0.0.1:9/v1/chat/completions" };
    expect(() => checkSameTarget(record, elsewhere, "RUN")).toThrow(/it measured .*, this is /);
    expect(() => checkSameServer({ name: "vLLM" }, { name: "vLLM" }, "RUN")).not.toThrow();
    expect(() => checkSameServer(undefined, { name: "vLLM" }, "RUN")).not.toThrow();
    expect(() => checkSameServer({ name: "vLLM" }, { name: "llama.cpp" }, "RUN")).toThrow(
      "--resume RUN: vLLM answered there, and now llama.cpp does",
    );
    expect(() => checkSameRail(rail, rail, "RUN")).not.toThrow();
    const others = { ...rail!, devices: [{ id: "GPU-other" }] };
    expect(() => checkSameRail(rail, others, "RUN")).toThrow(/its joules are of .*GPU-other/);
  });

  test("has the cells before it that were not measured to their end", async () => {
    const { events } = smallRun();
    const record = await deriveRecord(writeRun(smallRun({ events: events.slice(0, 7) })));
    expect(missingCells(record, CELLS).map(({ cell }) => cell)).toEqual([1]);
    const none = await deriveRecord(writeRun(smallRun({ events: [] })));
    expect(missingCells(none, CELLS)).toEqual(CELLS);
  });
});
