import { mkdtempSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRunFolder } from "../../src/records/run-folder.ts";

test("each run has a folder of its own, with lines as they came and whole files", async () => {
  const parent = join(mkdtempSync(join(tmpdir(), "joulemark-")), "deep", "runs");
  const one = await createRunFolder(parent, "measure");
  const two = await createRunFolder(parent, "measure");
  expect(one.path).toMatch(/\/\d{8}T\d{6}Z-measure-[0-9a-f]{4}$/);
  expect(two.path).not.toBe(one.path);
  one.append("rail.jsonl", { a: 1 });
  one.append("rail.jsonl", { a: 2 });
  await one.write("record.json", { b: 3 });
  expect(await one.close()).toEqual([]);
  expect(readFileSync(join(one.path, "rail.jsonl"), "utf8")).toBe('{"a":1}\n{"a":2}\n');
  expect(JSON.parse(readFileSync(join(one.path, "record.json"), "utf8"))).toEqual({ b: 3 });
  expect(readdirSync(one.path).toSorted()).toEqual(["rail.jsonl", "record.json"]);
});

test("a full disk is told at the end, once for each file, and does not end the run", async () => {
  const folder = await createRunFolder(mkdtempSync(join(tmpdir(), "joulemark-")), "measure");
  symlinkSync("/dev/full", join(folder.path, "rail.jsonl"));
  for (let i = 0; i < 3; i++) {
    folder.append("rail.jsonl", { i });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(await folder.close()).toEqual([expect.stringMatching(/^rail\.jsonl: .*ENOSPC/)]);
});

test("a place where no folder can be is told at once", async () => {
  await expect(createRunFolder("/proc/x/y", "measure")).rejects.toMatchObject({ code: "ENOENT" });
  await expect(createRunFolder("/dev/null/x", "measure")).rejects.toMatchObject({
    code: "ENOTDIR",
  });
});
