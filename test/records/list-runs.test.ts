import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { listRuns } from "../../src/records/list-runs.ts";
import { readRun } from "../../src/records/read-run.ts";
import { rederive } from "../../src/records/rederive.ts";
import { headerOf, smallRun, writeRun } from "./support/small-run.ts";

const aFolder = (): string => mkdtempSync(join(tmpdir(), "joulemark-"));

/** A run folder of this name with these files. */
function runIn(parent: string, name: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(join(parent, name));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(parent, name, file), text);
}

describe("kept runs", () => {
  test("are listed from the oldest, each as far as its folder tells", async () => {
    const record = JSON.stringify(await rederive(writeRun(smallRun())));
    const parent = aFolder();
    runIn(parent, "20260103T000000Z-sweep-00ff", { "record.json": '{"schema"' });
    runIn(parent, "20260102T000000Z-sweep-00ff", { "run.json": JSON.stringify(headerOf()) });
    runIn(parent, "20260101T000000Z-sweep-00ff", { "record.json": record });
    runIn(parent, "20260104T000000Z-decode-floor-0a0a", {});
    runIn(parent, "20260105T000000Z-sweep-0a0a", { "record.json": "null" });
    runIn(parent, "notes", {});
    writeFileSync(join(parent, "20260106T000000Z-sweep-0a0a.txt"), "");
    writeFileSync(join(parent, "20260107T000000Z-sweep-0a0a"), "a file");
    const runs = await listRuns(parent);
    expect(runs.map(({ name, state }) => `${name.slice(6, 8)} ${state}`)).toEqual([
      "01 complete",
      "02 no record",
      "03 unreadable",
      "04 no record",
      "05 complete",
      "07 unreadable",
    ]);
    expect(runs[0]).toEqual({
      name: "20260101T000000Z-sweep-00ff",
      benchmark: "sweep",
      startedAt: "2026-01-02T03:04:05.678Z",
      model: "m",
      cells: 2,
      measured: 2,
      simulated: false,
      headline: { peak_output_tok_s: 24, best_gpu_rail_joules_per_token: 12.5 },
      state: "complete",
    });
    expect(runs[1]).toMatchObject({ cells: 2, model: "m" });
    expect(runs[2]!.why).toMatch(/JSON/);
    expect(runs[3]!.benchmark).toBe("decode-floor");
  });

  test("that ended early or were simulated say so", async () => {
    const parent = aFolder();
    const record = {
      interrupted: true,
      rail: { head: "sim_rail" },
      cells: [{ state: "measured" }, {}],
    };
    runIn(parent, "20260101T000000Z-sweep-00ff", { "record.json": JSON.stringify(record) });
    expect(await listRuns(parent)).toMatchObject([
      { state: "interrupted", simulated: true, cells: 2, measured: 1 },
    ]);
  });

  test("of a folder that is not there are told as the system tells it", async () => {
    await expect(listRuns(join(aFolder(), "no"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("a record", () => {
  test("is read by its folder and by its file", async () => {
    const dir = writeRun(smallRun());
    const record = JSON.parse(JSON.stringify(await rederive(dir)));
    expect(await readRun(dir)).toEqual(record);
    expect(await readRun(join(dir, "record.json"))).toEqual(record);
  });

  test.each([
    ['{"schema":"joulemark.record/2"}', 'has the schema "joulemark.record/2": this version reads'],
    [
      '{"schema":"joulemark.measure/1"}',
      'has the schema "joulemark.measure/1": this version reads',
    ],
    ["{}", "has the schema undefined: this version reads joulemark.record/1"],
    ['{"schema":"joulemark', "is not whole: joulemark rederive RUN makes it again"],
    ["", "is not whole: joulemark rederive RUN"],
    ["null", "is no record: joulemark rederive RUN"],
    ["7", "is no record"],
  ])("of %s is refused in words", async (text, words) => {
    const dir = writeRun(smallRun());
    writeFileSync(join(dir, "record.json"), text);
    const failure = readRun(dir);
    await expect(failure).rejects.toMatchObject({ name: "JoulemarkError", code: "bad_option" });
    await expect(failure).rejects.toThrow(words);
  });

  test("that is not there can be made again", async () => {
    const dir = writeRun(smallRun());
    rmSync(join(dir, "record.json"), { force: true });
    await expect(readRun(dir)).rejects.toThrow(/cannot be read \(ENOENT.*rederive RUN/);
    await expect(readRun(join(dir, "no"))).rejects.toMatchObject({ code: "bad_option" });
  });
});
