import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readRun } from "../../src/records/read-run.ts";
import { rederive } from "../../src/records/rederive.ts";
import { smallRun, writeRun } from "./support/small-run.ts";

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
