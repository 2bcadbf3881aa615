import { execFileSync } from "node:child_process";
import { mkdtempSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readUserFile } from "../../src/cli/read-user-file.ts";
import { callCli } from "./fake-jobs.ts";

const dir = mkdtempSync(join(tmpdir(), "joulemark-user-file-"));
const pipe = join(dir, "pipe");
execFileSync("mkfifo", [pipe]);
const huge = join(dir, "huge");
writeFileSync(huge, "");
truncateSync(huge, 2 ** 20 + 1);

describe("a file that a flag names", () => {
  test("is read where it is one", () => {
    const file = join(dir, "file");
    writeFileSync(file, "a: 1\n");
    expect(readUserFile(file)).toBe("a: 1\n");
  });

  test.each([
    ["a pipe that nobody writes to", pipe, "it is no regular file"],
    ["a device without an end", "/dev/zero", "it is no regular file"],
    ["a folder", dir, "it is a folder"],
    ["a file too large", huge, "it is larger than 1 MiB"],
    ["nothing at all", join(dir, "nowhere"), "ENOENT"],
  ])("%s is refused at once", async (_what, path, why) => {
    expect(() => readUserFile(path)).toThrow(why);
    const words = ["sweep", "--target", "http://127.0.0.1:8000", "--model", "m"];
    for (const flags of [
      ["--config", path],
      ["--extra-body", `@${path}`],
    ]) {
      const { exitCode, error } = await callCli([...words, ...flags]);
      expect(exitCode).toBe(2);
      expect(error?.message).toContain(`${path} could not be read (${why})`);
    }
  });
});
