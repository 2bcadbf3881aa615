import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Engine } from "../../../src/engine/start-engine.ts";
import type { RequestLine } from "../../../src/records/request-line.ts";
import { optionsOf, rederive, runSweep, startEngine, startSweep } from "./support/small-sweep.ts";

const MOMENTS = 6;

let engine: Engine;
let out: string;
/** How long a run takes from its start to its end, in ms. */
let wholeMs: number;

beforeAll(async () => {
  out = mkdtempSync(join(tmpdir(), "joulemark-runs-"));
  engine = await startEngine();
  const { folder, gone } = startSweep(engine, optionsOf(engine, out));
  await folder;
  const startedMs = performance.now();
  await gone;
  wholeMs = performance.now() - startedMs;
}, 60_000);

afterAll(() => engine?.close());

test.each(Array.from({ length: MOMENTS }, (_, i) => i))(
  "a run that is killed at a random moment of its part %i loses nothing that was measured, and can go on",
  async (part) => {
    const options = optionsOf(engine, out);
    const { child, folder, cells, gone } = startSweep(engine, options);
    const path = await folder;
    await sleep(((part + Math.random()) / MOMENTS) * wholeMs);
    child.kill("SIGKILL");
    await gone;

    const killed = await rederive(path);
    const lines = readFileSync(join(path, "requests.jsonl"), { encoding: "utf8", flag: "a+" })
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as RequestLine);
    for (const cell of cells) {
      const own = lines.filter((line) => line.cell === cell && line.phase === "window");
      expect(own).toHaveLength(options.requests!);
      expect(killed.cells[cell]).toMatchObject({ state: "measured", counts: { ok: 4, failed: 0 } });
    }
    expect(killed.cells).toHaveLength(2);

    const { record, folder: resumed } = await runSweep(engine, { ...options, resume: path });
    expect(resumed).toBe(path);
    expect(record.interrupted).toBe(false);
    expect(record.cells.map(({ state }) => state)).toEqual(["measured", "measured"]);
    const measured = killed.cells.filter(({ state }) => state === "measured");
    for (const cell of measured) expect(record.cells[cell.cell]).toEqual(cell);
    const written = readFileSync(join(path, "record.json"), "utf8");
    await rederive(path);
    expect(readFileSync(join(path, "record.json"), "utf8")).toBe(written);
  },
  120_000,
);
