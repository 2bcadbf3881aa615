import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRunFolder, openRunFolder } from "../../src/records/run-folder.ts";
import { tempFolder } from "./support/temp-folder.ts";

const parent = (): string => tempFolder();
/** The process that started this one; it is there while the test runs. */
const OTHER_PID = process.ppid;
/** Above what Linux gives out. */
const NO_PID = 2 ** 22 + 1;

test("a run folder is taken while it is written, and free again when it is closed", async () => {
  const folder = await createRunFolder(parent(), "sweep");
  expect(readFileSync(join(folder.path, "run.lock"), "utf8")).toBe(String(process.pid));
  await folder.close();
  expect(existsSync(join(folder.path, "run.lock"))).toBe(false);
});

test("a run that another process writes cannot be resumed, and the refusal says how it can", async () => {
  const folder = await createRunFolder(parent(), "sweep");
  await folder.close();
  const lock = join(folder.path, "run.lock");
  writeFileSync(lock, String(OTHER_PID));
  await expect(openRunFolder(folder.path)).rejects.toMatchObject({
    code: "bad_option",
    message: expect.stringMatching(new RegExp(`process ${OTHER_PID}.*remove .*run\\.lock`)),
  });
  expect(readFileSync(lock, "utf8")).toBe(String(OTHER_PID));
});

test.each([String(NO_PID), "", "nonsense"])(
  "a lock that holds “%s” is left from a killed run and is taken over",
  async (text) => {
    const folder = await createRunFolder(parent(), "sweep");
    await folder.close();
    writeFileSync(join(folder.path, "run.lock"), text);
    const resumed = await openRunFolder(folder.path);
    await resumed.close();
    expect(existsSync(join(folder.path, "run.lock"))).toBe(false);
  },
);
