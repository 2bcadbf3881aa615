import { mkdtemp, readdir, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DatasetError } from "../../src/workloads/dataset-error.ts";
import { readDataset } from "../../src/workloads/read-dataset.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "joulemark-dataset-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function fileOf(text: string): Promise<string> {
  const file = join(folder, "prompts.jsonl");
  await writeFile(file, text);
  return file;
}

describe("readDataset", () => {
  test("reads JSONL line by line", async () => {
    const file = await fileOf('{"prompt":"a"}\r\n\n{"prompt":"b","output_tokens":5}\n');
    expect(await readDataset(file)).toEqual({
      file,
      format: "jsonl",
      entries: [{ body: { prompt: "a" } }, { body: { prompt: "b" }, outputTokens: 5 }],
      badLineCount: 0,
      badLines: [],
    });
  });

  test("reads a ShareGPT-like array", async () => {
    const conversations = [
      { from: "human", value: "Why [?" },
      { from: "gpt", value: "So." },
    ];
    const file = await fileOf(
      JSON.stringify([{ id: "1", conversations }, { prompt: "b" }], null, 2),
    );
    const { format, entries } = await readDataset(file);
    expect(format).toBe("json-array");
    expect(entries).toEqual([
      { body: { messages: [{ role: "user", content: "Why [?" }] } },
      { body: { prompt: "b" } },
    ]);
  });

  test("a bad line is left out, counted and told with its number", async () => {
    const file = await fileOf('{"prompt":"a"}\n{"prompt":\n{"text":"c"}\n{"prompt":"d"}\n');
    const { entries, badLineCount, badLines } = await readDataset(file);
    expect(entries).toHaveLength(2);
    expect(badLineCount).toBe(2);
    expect(badLines).toEqual([
      { line: 2, why: expect.stringMatching(/not JSON/) },
      { line: 3, why: "it has no prompt, messages or conversations" },
    ]);
  });

  test("a bad element of an array costs no other", async () => {
    const file = await fileOf('[{"prompt":"a"},\n{"prompt" "b"},\n{"prompt":"c"}]');
    const { entries, badLines } = await readDataset(file);
    expect(entries).toEqual([{ body: { prompt: "a" } }, { body: { prompt: "c" } }]);
    expect(badLines).toEqual([{ line: 2, why: expect.stringMatching(/not JSON/) }]);
  });

  test("an array that is cut off keeps what is whole and tells the rest", async () => {
    const file = await fileOf('[\n{"prompt":"a"},\n{"prompt":"b');
    const { entries, badLines } = await readDataset(file);
    expect(entries).toEqual([{ body: { prompt: "a" } }]);
    expect(badLines).toMatchObject([{ line: 3 }]);
  });

  test("of many bad lines all are counted and the first 20 told", async () => {
    const file = await fileOf(`${"nonsense\n".repeat(50)}{"prompt":"a"}`);
    const { badLineCount, badLines } = await readDataset(file);
    expect(badLineCount).toBe(50);
    expect(badLines.map(({ line }) => line)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
  });

  test("a byte order mark and blanks before the first entry do no harm", async () => {
    const array = await fileOf(`\uFEFF${" ".repeat(200_000)}[{"prompt":"a"}]`);
    expect(await readDataset(array)).toMatchObject({ format: "json-array", badLineCount: 0 });
    const lines = await fileOf('\uFEFF{"prompt":"a"}');
    expect(await readDataset(lines)).toMatchObject({ format: "jsonl", badLineCount: 0 });
  });

  test("characters that are cut by a chunk of the file stay whole", async () => {
    const prompt = "€".repeat(100_000);
    const file = await fileOf(`${JSON.stringify({ prompt })}\n`);
    expect((await readDataset(file)).entries).toEqual([{ body: { prompt } }]);
  });

  test("reads no further than its limit", async () => {
    const file = await fileOf(`${'{"prompt":"a"}\n'.repeat(5)}bad\n`);
    const { entries, badLineCount } = await readDataset(file, { limit: 3 });
    expect(entries).toHaveLength(3);
    expect(badLineCount).toBe(0);
  });

  test.runIf(process.platform === "linux")("leaves no file open when it stops early", async () => {
    const file = await fileOf('{"prompt":"a"}\n'.repeat(50_000));
    await readDataset(file, { limit: 1 });
    await vi.waitFor(async () => {
      const handles = (await readdir("/proc/self/fd")).map((fd) => `/proc/self/fd/${fd}`);
      const open = await Promise.all(handles.map((fd) => readlink(fd).catch(() => "gone")));
      expect(open).not.toContain(file);
    });
  });

  test("a file without one usable entry is an error with file, line and remedy", async () => {
    const file = await fileOf('\n{"text":"a"}\n{"text":"b"}\n');
    const error = await readDataset(file).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DatasetError);
    expect(error).toMatchObject({ code: "bad_option", file, line: 2 });
    expect((error as Error).message).toMatch(
      /prompts\.jsonl, line 2: no entry of 2 can be used; .* no prompt.*; give a file with one JSON/,
    );
  });

  test.each(["", "\n \n", "[]", "[ \n ]"])("%j is an empty file", async (text) => {
    await expect(readDataset(await fileOf(text))).rejects.toThrow(/it is empty; give a file/);
  });

  test("a file that is not there is an error that names it", async () => {
    const file = join(folder, "missing.jsonl");
    const error = await readDataset(file).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DatasetError);
    expect((error as Error).message).toMatch(/missing\.jsonl: it cannot be read \(ENOENT/);
    expect((error as Error).cause).toBeInstanceOf(Error);
  });

  test("aborted it ends with the reason of the abort", async () => {
    const file = await fileOf('{"prompt":"a"}');
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(readDataset(file, { signal })).rejects.toThrow("enough");
  });
});
