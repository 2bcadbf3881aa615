import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listRuns } from "../../src/records/list-runs.ts";
import { tempFolder } from "./support/temp-folder.ts";

const HEADER = {
  benchmark: "sweep",
  startedAt: "2026-03-01T12:00:00.000Z",
  target: { model: "m" },
  cells: [{}, {}],
};
const RECORD = {
  ...HEADER,
  simulated: false,
  interrupted: false,
  server: { model: "told by the server" },
  cells: [{ state: "measured" }, { state: "not measured" }],
};

function parentWith(runs: Readonly<Record<string, Readonly<Record<string, unknown>>>>): string {
  const parent = tempFolder();
  for (const [name, files] of Object.entries(runs)) {
    mkdirSync(join(parent, name));
    for (const [file, content] of Object.entries(files)) {
      const text = typeof content === "string" ? content : JSON.stringify(content);
      writeFileSync(join(parent, name, file), text);
    }
  }
  writeFileSync(join(parent, "notes.txt"), "no run");
  return parent;
}

test("each kept run tells how far it came, the oldest one first", async () => {
  const parent = parentWith({
    c: { "run.json": HEADER, "record.json": { ...RECORD, interrupted: true } },
    a: { "run.json": { ...HEADER, startedAt: "2026-03-02T12:00:00.000Z" } },
    b: { "run.json": HEADER, "record.json": RECORD },
    "not-a-run": { "x.txt": "" },
  });
  expect(await listRuns(parent)).toEqual([
    {
      name: "b",
      benchmark: "sweep",
      startedAt: HEADER.startedAt,
      model: "told by the server",
      cells: 2,
      measured: 1,
      simulated: false,
      state: "complete",
    },
    expect.objectContaining({ name: "c", state: "interrupted" }),
    {
      name: "a",
      benchmark: "sweep",
      startedAt: "2026-03-02T12:00:00.000Z",
      model: "m",
      cells: 2,
      state: "no record",
    },
  ]);
});

test("a run that cannot be read is listed, with the reason", async () => {
  const runs = await listRuns(parentWith({ x: { "run.json": "{" }, y: { "record.json": "null" } }));
  expect(runs).toEqual([
    { name: "x", state: "unreadable", why: "run.json is no JSON" },
    { name: "y", state: "unreadable", why: "record.json is no object" },
  ]);
});

test("a folder that is not there is what the file system says", async () => {
  await expect(listRuns("/nowhere")).rejects.toMatchObject({ code: "ENOENT" });
});
