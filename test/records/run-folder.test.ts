import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createRunFolder, openRunFolder } from "../../src/records/run-folder.ts";
import { eventually } from "../support/eventually.ts";
import { tempFolder } from "./support/temp-folder.ts";

const aFolder = tempFolder;

describe("a run folder", () => {
  test("is one for each run, with lines as they came and whole files", async () => {
    const parent = join(aFolder(), "deep", "runs");
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

  test("has each line on disk when it was flushed, and takes more after that", async () => {
    const folder = await createRunFolder(aFolder(), "sweep");
    for (let i = 0; i < 3; i++) {
      folder.append("requests.jsonl", { i });
      expect(await folder.flush()).toEqual([]);
      const text = readFileSync(join(folder.path, "requests.jsonl"), "utf8");
      expect(text.trimEnd().split("\n")).toHaveLength(i + 1);
    }
    expect(await folder.close()).toEqual([]);
    folder.append("requests.jsonl", { i: "too late" });
    expect(await folder.flush()).toEqual([]);
    expect(readFileSync(join(folder.path, "requests.jsonl"), "utf8")).not.toContain("late");
  });

  test("has no event before the lines of other files that came before it", async () => {
    const folder = await createRunFolder(aFolder(), "sweep");
    const slow = join(folder.path, "requests.jsonl");
    // Whoever opens a pipe to write waits until somebody reads it.
    execFileSync("mkfifo", [slow]);
    folder.append("requests.jsonl", { index: 0 });
    folder.append("log.jsonl", { level: "info" });
    folder.append("events.jsonl", { event: "window" });
    await eventually("the log is written", () => existsSync(join(folder.path, "log.jsonl")));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(existsSync(join(folder.path, "events.jsonl"))).toBe(false);
    const [text] = await Promise.all([readFile(slow, "utf8"), folder.close()]);
    expect(text).toBe('{"index":0}\n');
    expect(readFileSync(join(folder.path, "events.jsonl"), "utf8")).toBe('{"event":"window"}\n');
  });

  test("keeps no number that is not finite: its key is absent", async () => {
    const folder = await createRunFolder(aFolder(), "sweep");
    folder.append("events.jsonl", { a: Number.NaN, b: { c: Number.POSITIVE_INFINITY, d: 1 } });
    await folder.close();
    expect(readFileSync(join(folder.path, "events.jsonl"), "utf8")).toBe('{"b":{"d":1}}\n');
  });

  test("tells a full disk at the end, once for each file, and does not end the run", async () => {
    const folder = await createRunFolder(aFolder(), "measure");
    symlinkSync("/dev/full", join(folder.path, "rail.jsonl"));
    for (let i = 0; i < 3; i++) {
      folder.append("rail.jsonl", { i });
      folder.append("log.jsonl", { i });
      await folder.flush();
    }
    const failures = [expect.stringMatching(/^rail\.jsonl: .*ENOSPC/)];
    expect(await folder.flush()).toEqual(failures);
    expect(await folder.close()).toEqual(failures);
    expect(readFileSync(join(folder.path, "log.jsonl"), "utf8").split("\n")).toHaveLength(4);
  });

  test("loses nothing to a disk that is full for a while, and keeps the order of events", async () => {
    const folder = await createRunFolder(aFolder(), "sweep");
    const full = join(folder.path, "requests.jsonl");
    symlinkSync("/dev/full", full);
    folder.append("requests.jsonl", { i: 0 });
    folder.append("events.jsonl", { event: "window" });
    folder.append("log.jsonl", { i: 0 });
    expect(await folder.flush()).toEqual([expect.stringContaining("ENOSPC")]);
    expect(folder.failures).toHaveLength(1);
    expect(existsSync(join(folder.path, "events.jsonl"))).toBe(false);
    expect(readFileSync(join(folder.path, "log.jsonl"), "utf8")).toBe('{"i":0}\n');
    const freed = await createRunFolder(aFolder(), "sweep");
    mkdirSync(join(freed.path, "requests.jsonl"));
    freed.append("requests.jsonl", { i: 0 });
    freed.append("events.jsonl", { event: "window" });
    expect(await freed.flush()).toEqual([expect.stringContaining("EISDIR")]);
    rmdirSync(join(freed.path, "requests.jsonl"));
    freed.append("requests.jsonl", { i: 1 });
    await eventually("it is tried again", () => freed.failures.length === 0);
    expect(await freed.close()).toEqual([]);
    expect(readFileSync(join(freed.path, "requests.jsonl"), "utf8")).toBe('{"i":0}\n{"i":1}\n');
    expect(readFileSync(join(freed.path, "events.jsonl"), "utf8")).toBe('{"event":"window"}\n');
    await folder.close();
  });

  test("is told at once where it cannot be", async () => {
    await expect(createRunFolder("/proc/x/y", "measure")).rejects.toMatchObject({ code: "ENOENT" });
    await expect(createRunFolder("/dev/null/x", "measure")).rejects.toMatchObject({
      code: "ENOTDIR",
    });
  });
});

describe("a run folder that is opened again", () => {
  test("has half a line closed off, so that nothing is glued to it", async () => {
    const path = aFolder();
    writeFileSync(join(path, "requests.jsonl"), '{"a":1}\n{"a":');
    writeFileSync(join(path, "events.jsonl"), '{"a":1}\n');
    writeFileSync(join(path, "rail.jsonl"), "");
    writeFileSync(join(path, "run.json"), "{}");
    const folder = await openRunFolder(path);
    for (const file of ["requests", "events", "rail"]) folder.append(`${file}.jsonl`, { b: 2 });
    await folder.close();
    const text = (name: string): string => readFileSync(join(path, name), "utf8");
    expect(text("requests.jsonl")).toBe('{"a":1}\n{"a":\n{"b":2}\n');
    expect(text("events.jsonl")).toBe('{"a":1}\n{"b":2}\n');
    expect(text("rail.jsonl")).toBe('{"b":2}\n');
    expect(text("run.json")).toBe("{}");
  });

  test("must be there", async () => {
    await expect(openRunFolder(join(aFolder(), "no"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});
