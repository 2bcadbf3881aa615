import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PhaseFigure, splitPhases } from "../../../src/energy/split-phases.ts";
import type { Engine } from "../../../src/engine/start-engine.ts";
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
  engine = await startEngine({ profile: "tiny", set: { prefillTokensPerS: 4000 } });
  run = await runSweep(
    engine,
    optionsOf(engine, out, {
      concurrency: [2],
      inputTokens: [64, 512],
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

describe("a sweep of two by two lengths", () => {
  test("has both lengths in its keys, and new prompts in every cell", () => {
    const { cells, metrics } = run.record;
    expect(cells.map(({ prefix, outputTokens }) => [prefix, outputTokens])).toEqual([
      ["isl64_osl96_c2_", 96],
      ["isl64_osl384_c2_", 384],
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

  test("tells prefill from decode as the engine's truth does, or says why it does not", async () => {
    const { cells, metrics, validity } = run.record;
    const truth = await truthOf(cells);
    const keys = [
      "c2_sim_rail_prefill_joules_per_input_token",
      "c2_sim_rail_decode_joules_per_output_token",
    ];
    const told = keys.filter((key) => metrics[key] !== undefined);
    // A busy machine may make the load generator the one that is measured.
    const reasons = validity.filter(({ reason }) => reason === "phases_not_told");
    expect(reasons.length > 0).toBe(told.length < 2);
    for (const key of told) {
      const ratio = metrics[key]! / truth[keys.indexOf(key)]!;
      expect(ratio, key).toBeGreaterThan(0.6);
      expect(ratio, key).toBeLessThan(1.6);
      expect(metrics[`${key}_lo`]).toBeLessThan(metrics[key]!);
      expect(metrics[`${key}_hi`]).toBeGreaterThan(metrics[key]!);
    }
  });

  test("gives the same figures again out of its raw files", async () => {
    const written = readFileSync(join(run.folder, "record.json"), "utf8");
    await rederive(run.folder);
    expect(readFileSync(join(run.folder, "record.json"), "utf8")).toBe(written);
    expect(schemaErrors(run.record)).toEqual([]);
  });
});
