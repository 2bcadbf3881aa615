import { existsSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { JoulemarkError } from "../../src/errors.ts";
import { createRunFolder, writeWhole } from "../../src/records/run-folder.ts";
import { tempFolder } from "./support/temp-folder.ts";

const newFolder = (): string => tempFolder();

test("two thousand runs that start in the same second all have a folder of their own", async () => {
  // Of 65,536 names so many draw the same one twice with a probability of 1 − 10^−13.
  const parent = newFolder();
  const names = Array.from({ length: 2000 }, () => createRunFolder(parent, "sweep"));
  const paths = new Set((await Promise.all(names)).map(({ path }) => path));
  expect(paths.size).toBe(2000);
  expect(readdirSync(parent)).toHaveLength(2000);
});

test.skipIf(!existsSync("/sys/kernel"))(
  "a parent in which nobody may write is a wrong option, and says so",
  async () => {
    const refused = createRunFolder("/sys/kernel", "sweep");
    await expect(refused).rejects.toBeInstanceOf(JoulemarkError);
    await expect(refused).rejects.toMatchObject({
      code: "bad_option",
      message: expect.stringMatching(
        /^no run folder can be made in \/sys\/kernel \(.*name a folder/,
      ),
    });
  },
);

test("what cannot be written is told as soon as it fails, not at the end alone", async () => {
  const folder = await createRunFolder(newFolder(), "sweep");
  symlinkSync("/dev/full", join(folder.path, "rail.jsonl"));
  expect(folder.failures).toEqual([]);
  folder.append("rail.jsonl", { kind: "segment" });
  await folder.flush();
  expect(folder.failures).toEqual([expect.stringMatching(/^rail\.jsonl: .*ENOSPC/)]);
  await folder.close();
});

test("a whole file that cannot be written leaves no part behind, and the old one as it was", async () => {
  const parent = newFolder();
  await writeWhole(join(parent, "record.json"), "old");
  await expect(writeWhole(join(parent, "none", "record.json"), "new")).rejects.toThrow("ENOENT");
  const both = ["one", "two"].map((text) => writeWhole(join(parent, "record.json"), text));
  await Promise.all(both);
  expect(readdirSync(parent)).toEqual(["record.json"]);
});
