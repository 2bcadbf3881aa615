import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Engine } from "../../../src/engine/start-engine.ts";
import { schemaErrors } from "../../records/support/record-schema.ts";
import {
  abortSweep,
  type Finished,
  KEY,
  leaveSweep,
  optionsOf,
  rederive,
  runDecodeFloor,
  runSweep,
  startEngine,
} from "./support/small-sweep.ts";

let engine: Engine;
let out: string;
let run: Finished;

beforeAll(async () => {
  out = mkdtempSync(join(tmpdir(), "joulemark-runs-"));
  engine = await startEngine({ apiKey: KEY });
  // Windows of more than the second that the sensor takes the mean of, so that there are steady parts.
  run = await runSweep(engine, optionsOf(engine, out, { outputTokens: [96], requests: 6 }));
}, 120_000);

afterAll(() => engine?.close());

const recordIn = (folder: string): string => readFileSync(join(folder, "record.json"), "utf8");
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("a run of the built-in engine", () => {
  test("measures each cell, with the joules of the stand-in rail", () => {
    const { cells, metrics, damage } = run.record;
    expect(damage).toEqual([]);
    expect(cells.map(({ state }) => state)).toEqual(["measured", "measured"]);
    for (const { counts, tokens, steady } of cells) {
      expect(counts).toMatchObject({ ok: 6, failed: 0, notSent: 0 });
      expect(tokens).toMatchObject({ output: 6 * 96, isEstimated: false });
      expect(steady).toBeDefined();
    }
    expect(metrics).toMatchObject({
      c1_sim_rail_joules_per_token: expect.any(Number),
      c2_steady_sim_rail_joules_per_token: expect.any(Number),
      c2_sim_rail_energy_above_idle_j: expect.any(Number),
    });
  });

  test("cuts steady parts to whole averaging times of the sensor", () => {
    const { averagingMs } = run.record.rail!.sensor;
    for (const { steady, startMs = 0, endMs = 0 } of run.cells) {
      const times = (steady!.endMs - steady!.startMs) / averagingMs;
      expect(Math.round(times)).toBeGreaterThanOrEqual(1);
      expect(times).toBeCloseTo(Math.round(times), 6);
      expect(steady!.startMs).toBeGreaterThan(startMs);
      expect(steady!.endMs).toBeLessThanOrEqual(endMs);
    }
  });

  test("waits for the readings that its windows need, and says what its short quiet time costs", () => {
    const reasons = run.cells.flatMap(({ validity }) => validity.map(({ reason }) => reason));
    expect(reasons).not.toContain("rail_not_bracketed");
    expect(run.record.warnings).toContainEqual(
      expect.stringMatching(/a quiet time of 0\.2 s .*moving power.*intervals .*wider/),
    );
  });

  test("leaves the record that its raw files give, to the byte", async () => {
    const written = recordIn(run.folder);
    for (let i = 0; i < 2; i++) {
      await rederive(run.folder);
      expect(recordIn(run.folder)).toBe(written);
    }
    expect(asJson(run.record)).toEqual(JSON.parse(written));
    expect(schemaErrors(run.record)).toEqual([]);
  });

  test("gives while it runs the cells that stand in its record", () => {
    expect(asJson(run.cells)).toEqual(asJson(run.record.cells));
  });

  test("leaves no secret in any file", () => {
    const files = readdirSync(run.folder);
    expect(files.toSorted()).toEqual([
      "events.jsonl",
      "log.jsonl",
      "rail.jsonl",
      "record.json",
      "requests.jsonl",
      "run.json",
    ]);
    for (const file of files)
      expect(readFileSync(join(run.folder, file), "utf8")).not.toContain(KEY);
  });

  test("that nobody listens to any more ends like one that was interrupted", async () => {
    const folder = await leaveSweep(engine, optionsOf(engine, out));
    const { interrupted, cells, samplerCost } = JSON.parse(recordIn(folder));
    expect(interrupted).toBe(true);
    expect(cells.map(({ state }: { state: string }) => state)).toEqual([
      "measured",
      "not measured",
    ]);
    expect(schemaErrors(JSON.parse(recordIn(folder)))).toEqual([]);
    // The rail was stopped in order.
    expect(samplerCost).toBeDefined();
  });

  test.each([0, 400])(
    "interrupted %i ms into a window has what was there until then, and can go on",
    async (afterMs) => {
      const options = optionsOf(engine, out, { outputTokens: [96], requests: 6 });
      const { record, cells, folder } = await abortSweep(engine, options, { cell: 0, afterMs });
      expect(record.interrupted).toBe(true);
      expect(record.damage).toEqual([]);
      expect(schemaErrors(record)).toEqual([]);
      const [first, second] = record.cells;
      expect([first!.state, second!.state]).toEqual(["interrupted", "not measured"]);
      expect(first!.validity.map(({ reason }) => reason)).toContain("interrupted");
      expect(first!.isComparable).toBe(false);
      expect(record.metrics).not.toHaveProperty("peak_output_tok_s");
      // Interrupted before its load began, a cell has nothing to show while the run goes on.
      expect([[], asJson([first])]).toContainEqual(asJson(cells));
      if (afterMs > 0) expect(cells).toHaveLength(1);
      const { record: whole } = await runSweep(engine, { ...options, resume: folder });
      expect(whole.cells.map(({ state }) => state)).toEqual(["measured", "measured"]);
      expect(whole.damage).toEqual([]);
    },
  );

  test("goes on only as it was planned", async () => {
    const other = optionsOf(engine, out, { concurrency: [1, 3], resume: run.folder });
    await expect(runSweep(engine, other)).rejects.toThrow(/--resume .*: its cells are others/);
    const floor = runDecodeFloor(engine, optionsOf(engine, out, { resume: run.folder }));
    await expect(floor).rejects.toThrow(/--resume .*: it is a sweep, not a decode-floor/);
  });

  test("of a decode floor sums the energy of its runs", async () => {
    const { record, folder } = await runDecodeFloor(engine, optionsOf(engine, out));
    expect(schemaErrors(record)).toEqual([]);
    expect(record.verdict).toMatchObject({ verdict: "measured" });
    const { metrics, cells } = record;
    const joules = cells.map((cell) => cell.metrics["sim_rail_energy_j"]!);
    expect(metrics["sim_rail_energy_j"]).toBeCloseTo(joules[0]! + joules[1]!, 9);
    expect(metrics).not.toHaveProperty("sim_rail_energy_j_ci_lo");
    expect(metrics["decode_tok_s"]).toBeGreaterThan(0);
    const written = recordIn(folder);
    await rederive(folder);
    expect(recordIn(folder)).toBe(written);
  });
});
