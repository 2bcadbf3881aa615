import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listRuns } from "../../src/records/list-runs.ts";
import { tempFolder } from "./support/temp-folder.ts";

function parentOf(folders: Record<string, object>): string {
  const parent = tempFolder();
  for (const [name, record] of Object.entries(folders)) {
    mkdirSync(join(parent, name));
    writeFileSync(join(parent, name, "record.json"), JSON.stringify(record));
  }
  return parent;
}

test("a headline is the two figures that say most, and an estimate before its plain integral", async () => {
  const schema = "joulemark.record/1";
  const parent = parentOf({
    a: {
      schema,
      benchmark: "sweep",
      metrics: {
        best_sim_rail_joules_per_token: 2,
        best_sim_rail_joules_per_token_concurrency: 8,
        c1_sim_rail_joules_per_token: 9,
        peak_output_tok_s: 900,
      },
    },
    b: {
      schema,
      benchmark: "decode-floor",
      metrics: { decode_tok_s: 50, decode_tok_s_ci_lo: 49, gpu_rail_joules_per_token: 3 },
    },
    c: { schema: "joulemark.measure/1", benchmark: "measure", metrics: { gpu_rail_energy_j: 7 } },
    d: { schema, benchmark: "sweep", metrics: {} },
    e: {
      schema,
      benchmark: "sweep",
      metrics: {
        best_gpu_rail_joules_per_token: 2,
        best_gpu_rail_joules_per_token_est: 3,
        best_gpu_rail_joules_per_token_est_concurrency: 8,
        peak_output_tok_s: 900,
      },
    },
    f: {
      schema: "joulemark.measure/1",
      benchmark: "measure",
      metrics: { gpu_rail_energy_est_j: 8, gpu_rail_energy_est_lo_j: 6, gpu_rail_energy_j: 7 },
    },
  });
  const runs = await listRuns(parent);
  expect(runs.map(({ headline }) => headline)).toEqual([
    { peak_output_tok_s: 900, best_sim_rail_joules_per_token: 2 },
    { decode_tok_s: 50, gpu_rail_joules_per_token: 3 },
    { gpu_rail_energy_j: 7 },
    undefined,
    { peak_output_tok_s: 900, best_gpu_rail_joules_per_token_est: 3 },
    { gpu_rail_energy_est_j: 8 },
  ]);
});

test("a folder with another program's record.json is no run", async () => {
  const parent = parentOf({ a: { schema: "other/1", benchmark: "x" }, b: { name: "left-pad" } });
  expect(await listRuns(parent)).toEqual([]);
});
