import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { EngineBoxOptions } from "../../../src/engine/engine-options.ts";
import type { Engine } from "../../../src/engine/start-engine.ts";
import type { RunRecord } from "../../../src/records/run-record.ts";
import { schemaErrors } from "../../records/support/record-schema.ts";
import { box } from "../../support/scenarios.ts";
import { installStandIn } from "../../support/stand-in.ts";
import {
  type Finished,
  optionsOf,
  rederive,
  runSweep,
  startEngine,
} from "./support/small-sweep.ts";

async function engineIn(rail: EngineBoxOptions = {}): Promise<Engine> {
  const engine = await startEngine({ rail });
  onTestFinished(() => engine.close());
  return engine;
}

/** Windows of more than twice the second that the sensor takes the mean of. */
async function swept(
  engine: Engine,
  more: Partial<ReturnType<typeof optionsOf>["meter"]> = {},
): Promise<Finished> {
  const out = mkdtempSync(join(tmpdir(), "joulemark-runs-"));
  const options = optionsOf(engine, out, { outputTokens: [96], requests: 6 });
  const meter = { ...options.meter, idleMs: 1000, ...more };
  const finished = await runSweep(engine, { ...options, meter, concurrency: [1] });
  expect(schemaErrors(finished.record)).toEqual([]);
  // What was seen beside the readings is in the files too.
  const written = readFileSync(join(finished.folder, "record.json"), "utf8");
  await rederive(finished.folder);
  expect(readFileSync(join(finished.folder, "record.json"), "utf8")).toBe(written);
  return finished;
}

/** Of those that refuse every figure of energy. */
const reasonsOf = ({ cells }: RunRecord): string[] =>
  cells
    .flatMap(({ validity }) => validity.filter(({ refuses }) => refuses === "energy"))
    .map(({ reason }) => reason);

const joulesOf = ({ metrics }: RunRecord): string[] =>
  Object.keys(metrics).filter((key) => /_rail_(energy|joules)/.test(key));

describe("a run on a GPU that another process has a context on", () => {
  test("has no joules while that works", async () => {
    const tenants = [{ index: 0, pid: 1, load: { kind: "constant", powerW: 150 } }] as const;
    const { record } = await swept(await engineIn({ tenants }));
    expect(reasonsOf(record)).toContain("rail_foreign_load");
    expect(joulesOf(record)).toEqual([]);
    expect(record.validity).toMatchObject([{ reason: "idle_not_quiet" }]);
    expect(record.metrics).toMatchObject({ c1_output_tok_s: expect.any(Number) });
  });

  test("has its joules and a warning while that is silent", async () => {
    const tenants = [{ index: 0, pid: 1, load: { kind: "constant", powerW: 0 } }] as const;
    const { record } = await swept(await engineIn({ tenants }));
    expect(reasonsOf(record)).toEqual([]);
    expect(joulesOf(record)).toContain("c1_sim_rail_energy_j");
    expect(record.warnings.join()).toContain("pid 1");
  });
});

describe("a run whose server", () => {
  test("is not where the rail is has no joules", async () => {
    // Such as behind a tunnel: the port is here, and the GPUs are idle.
    const standIn = await installStandIn(box(1));
    onTestFinished(() => standIn.remove());
    const { record } = await swept(await engineIn(), { nvidiaSmiPath: standIn.path });
    expect(reasonsOf(record)).toEqual(["rail_unresponsive"]);
    expect(joulesOf(record)).toEqual([]);
  });

  test("is on the second of two named GPUs has its joules, and the first is named", async () => {
    const engine = await engineIn({ firstIndex: 1, boxGpuCount: 2 });
    const { record } = await swept(engine, { devices: ["0", "1"] });
    expect(reasonsOf(record)).toEqual([]);
    expect(joulesOf(record)).toContain("c1_sim_rail_energy_j");
    expect(record.cells[0]!.warnings.join()).toMatch(/GPU 0 .* stayed at its idle/);
  });
});
