import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findProgram } from "../../src/benchmarks/find-program.ts";

function folderWith(name: string, mode: number): string {
  const folder = mkdtempSync(join(tmpdir(), "joulemark-"));
  writeFileSync(join(folder, name), "");
  chmodSync(join(folder, name), mode);
  return folder;
}

describe("findProgram", () => {
  test("looks through PATH, past what may not be executed", async () => {
    const plain = folderWith("tool", 0o644);
    const good = folderWith("tool", 0o755);
    expect(await findProgram("tool", `${plain}:${good}`)).toEqual({ state: "found" });
    expect(await findProgram("tool", plain)).toEqual({
      state: "not-executable",
      path: join(plain, "tool"),
    });
    expect(await findProgram("tool", "/nowhere")).toEqual({ state: "not-found" });
    expect(await findProgram("tool", "")).toEqual({ state: "not-found" });
  });

  test("a name with a slash is a path, and a folder is no program", async () => {
    const good = folderWith("tool", 0o755);
    expect(await findProgram(join(good, "tool"), "")).toEqual({ state: "found" });
    expect(await findProgram(good, "")).toEqual({ state: "not-executable", path: good });
  });
});
