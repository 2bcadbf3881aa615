import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PhaseFigure, splitPhases } from "../../../src/energy/split-phases.ts";
import type { Engine } from "../../../src/engine/start-engine.ts";
import { phaseEnergy } from "../../../src/records/phase-energy.ts";
import type { CellRecord } from "../../../src/records/run-record.ts";
import { schemaErrors } from "../../records/support/record-schema.ts";
import {
  type Finished,
  optionsOf,
  rederive,
  runSweep,
  startEngine,
} from "./support/small-sweep.ts";

let engine: Engine;
let run: Finished;

beforeAll(async () => {
  const out = mkdtempSync(join(tmpdir(), "joulemark-phases-"));
  // Prefill that is dear enough to be seen beside decode.
  engine = await startEngine({ profile: "tiny", set: { prefillTokensPerS: 1500 } });
  run = await runSweep(
    engine,
    optionsOf(engine, out, {
      concurrency: [2],
      inputTokens: [32, 512],
      outputTokens: [96, 384],
      requests: 8,
    }),
  );
}, 180_000);

afterAll(() => engine?.close());

/** The same split, made of what really went in. */
async function truthOf(cells: readonly CellRecord[]): Promise<readonly [number, number]> {
  const points = await Promise.all(
    cells.map(async ({ startMs, endMs, tokens, inputTokens, outputTokens }) => ({
      lengths: { input: inputTokens!, output: outputTokens! },
      inputTokens: tokens!.prompt! - (tokens!.cachedPrompt ?? 0),
      outputTokens: tokens!.output,
      energyJ: (await engine.truth.energy(startMs!, endMs!)).servingJ,
    })),
  );
  const { prefill, decode } = splitPhases(points);
  return [prefill, decode].map((one) => (one as PhaseFigure).joulesPerToken) as [number, number];
}

const KEYS = [
  "c2_sim_rail_prefill_joules_per_input_token",
  "c2_sim_rail_decode_joules_per_output_token",
] as const;

describe("a sweep of two by two lengths", () => {
  test("has both lengths in its keys, and new prompts in every cell", () => {
    const { cells, metrics } = run.record;
    expect(cells.map(({ prefix, outputTokens }) => [prefix, outputTokens])).toEqual([
      ["isl32_osl96_c2_", 96],
      ["isl32_osl384_c2_", 384],
      ["isl512_osl96_c2_", 96],
      ["isl512_osl384_c2_", 384],
    ]);
    for (const { prefix, counts, tokens, outputTokens, validity } of cells) {
      expect(counts).toMatchObject({ ok: 8, failed: 0 });
      expect(tokens!.output).toBe(8 * outputTokens!);
      expect(metrics[`${prefix}sim_rail_joules_per_token`]).toBeGreaterThan(0);
      expect(validity.map(({ reason }) => reason)).not.toContain("cache_uncontrolled");
    }
  });

  test("tells prefill from decode as the engine's truth does", async () => {
    // A busy machine makes the load generator late: the joules of such a cell are right all the same.
    const cells = run.record.cells.map((cell) => ({ ...cell, isComparable: true }));
    const { metrics, reasons } = phaseEnergy(cells, "sim_rail");
    expect(reasons).toEqual([]);
    const truth = await truthOf(cells);
    for (const [i, key] of KEYS.entries()) {
      const ratio = metrics[key]! / truth[i]!;
      expect(ratio, key).toBeGreaterThan(0.6);
      expect(ratio, key).toBeLessThan(1.6);
    }
  });

  test("records them, or why it does not", () => {
    const { cells, metrics, validity } = run.record;
    const { metrics: phases, reasons } = phaseEnergy(cells, "sim_rail");
    expect(metrics).toMatchObject(phases);
    expect(validity).toEqual(expect.arrayContaining([...reasons]));
    const told = KEYS.filter((key) => metrics[key] !== undefined);
    expect(validity.some(({ reason }) => reason === "phases_not_told")).toBe(told.length < 2);
  });

  test("gives the same figures again out of its raw files", async () => {
    const written = readFileSync(join(run.folder, "record.json"), "utf8");
    await rederive(run.folder);
    expect(readFileSync(join(run.folder, "record.json"), "utf8")).toBe(written);
    expect(schemaErrors(run.record)).toEqual([]);
  });
});
