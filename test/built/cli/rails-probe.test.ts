import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ScenarioDevice } from "../../../src/engine/nvidia-smi/scenario.ts";
import type { SensorProbe } from "../../../src/rails/sensor-probe.ts";
import { eventually } from "../../support/eventually.ts";
import { cleanups } from "../../support/open-rail.ts";
import { runCli, startCli } from "../../support/run-cli.ts";
import { box, gpu } from "../../support/scenarios.ts";
import { installStandIn } from "../../support/stand-in.ts";
import { startEngine } from "../records/support/small-sweep.ts";

/** A GPU on which someone starts a load after 5 s, for 4 s. */
async function stepBox(device: Partial<ScenarioDevice>): Promise<NodeJS.ProcessEnv> {
  const steps = [
    { atMs: 0, powerW: 90 },
    { atMs: 5000, powerW: 500 },
    { atMs: 9000, powerW: 110 },
  ];
  const power = { kind: "steps", steps, noiseW: 0.5 } as const;
  const standIn = await installStandIn(box(0, { devices: [gpu(0, { power, ...device })] }));
  cleanups.push(() => standIn.remove());
  return standIn.env;
}

const probed = (stdout: string): SensorProbe => JSON.parse(stdout) as SensorProbe;

describe("joulemark rails --probe", () => {
  test("watches for a load and finds the averaging time as declared", async () => {
    const env = await stepBox({ averagingMs: 1000, instantMs: 25 });
    const end = await runCli(["rails", "--probe", "--probe-wait", "30"], { env });
    expect(end.stderr).toContain("start any load on the GPU now");
    expect(end.exitCode).toBe(0);
    expect(end.stdout).toMatch(/GPU 0 +\.average +1\.0 s .* as declared/);
    expect(end.stdout).toContain("GPU 0 (NVIDIA H100 80GB HBM3). Declared: measured on cards");
    for (const line of end.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  });

  test("finds another averaging time than the name of the GPU declares", async () => {
    const env = await stepBox({ averagingMs: 200, instantMs: 25 });
    const end = await runCli(["rails", "--probe", "--probe-wait", "30", "--json"], { env });
    const { columns } = probed(end.stdout).devices[0]!;
    expect(columns[0]).toMatchObject({ field: "power.draw.average", verdict: "differs" });
    expect(columns[0]!.measured!.hiMs).toBeLessThan(600);
    expect(JSON.parse(end.stdout)).toMatchObject({ schema: "joulemark.probe/1" });
    expect(end.exitCode).toBe(0);
  });

  test("loads a target, and measures its GPU by that", async () => {
    const engine = await startEngine({ profile: "tiny" });
    cleanups.push(() => engine.close());
    // The engine's GPU is named after one that averages over a second.
    const file = join(dirname(engine.nvidiaSmiPath), "scenario.json");
    const scenario = readFileSync(file, "utf8");
    expect(scenario).toContain('"averagingMs":1000');
    writeFileSync(file, scenario.replace('"averagingMs":1000', '"averagingMs":2000'));
    const words = ["--target", engine.url, "--nvidia-smi", engine.nvidiaSmiPath, "--json"];
    const end = await runCli(["rails", "--probe", ...words]);
    const [average, instant] = probed(end.stdout).devices[0]!.columns;
    expect(average).toMatchObject({ verdict: "differs", declared: { averagingMs: 1000 } });
    expect(average!.measured!.loMs).toBeGreaterThan(1300);
    expect(instant!.verdict).not.toBe("differs");
    expect(end.exitCode).toBe(0);
  });

  test("without a step ends with 4 and says what is missing", async () => {
    const env = await stepBox({ power: { kind: "constant", powerW: 300 } });
    const end = await runCli(["rails", "--probe", "--probe-wait", "2"], { env });
    expect(end.exitCode).toBe(4);
    expect(end.stderr).toContain("no clear step was seen");
    expect(end.stdout).toMatch(/\.average .*— .*no clear step/);
  });

  test("without a GPU, or for a target elsewhere, ends with 4 and the reason", async () => {
    const none = await runCli(["rails", "--probe"], { env: { ...process.env, PATH: "/nowhere" } });
    expect(none).toMatchObject({ exitCode: 4, stdout: "" });
    expect(none.stderr).toContain("nvidia-smi was not found in PATH");
    const words = ["--target", "http://127.0.0.1:1", "--rail-local", "no"];
    const far = await runCli(["rails", "--probe", ...words]);
    expect(far).toMatchObject({ exitCode: 4, stdout: "" });
    expect(far.stderr).toContain("the target runs elsewhere");
  });

  test("ends at once when it is interrupted", async () => {
    const env = await stepBox({});
    const run = startCli(["rails", "--probe"], { env });
    await eventually("it watches", () => run.said.stderr.includes("start any load"));
    run.child.kill("SIGINT");
    expect(await run.ended).toMatchObject({ exitCode: 130, stdout: "" });
  });

  test("its flags alone are a wrong use", async () => {
    const end = await runCli(["rails", "--probe-wait", "5"]);
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toContain("--probe-wait belongs to --probe");
  });
});
