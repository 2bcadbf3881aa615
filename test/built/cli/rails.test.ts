import { describe, expect, test } from "vitest";
import { cleanups } from "../../support/open-rail.ts";
import { runCli } from "../../support/run-cli.ts";
import { box, gpu } from "../../support/scenarios.ts";
import { installStandIn } from "../../support/stand-in.ts";

/** A PATH in which there is no nvidia-smi. */
const NO_GPU = { ...process.env, PATH: "/nowhere" };

describe("joulemark rails", () => {
  test("without a GPU says why, what it would cover, and what helps", async () => {
    const end = await runCli(["rails"], { env: NO_GPU });
    expect(end.exitCode).toBe(0);
    expect(end.stdout).toContain("nvidia-smi: not readable here");
    expect(end.stdout).toMatch(/why +nvidia-smi was not found in PATH/);
    expect(end.stdout).toMatch(/remedy +install the NVIDIA driver's tools/);
    expect(end.stdout).toMatch(/not in it +CPU/);
    for (const line of end.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  });

  test("with GPUs names each, its power, the field and its averaging time", async () => {
    const standIn = await installStandIn(box(2));
    cleanups.push(() => standIn.remove());
    const end = await runCli(["rails"], { env: standIn.env });
    expect(end.stdout).toMatch(
      /GPU 0 \(NVIDIA H100 80GB HBM3\): (99|100)\.\d W now, limit 700\.0 W/,
    );
    expect(end.stdout).toMatch(/GPU 1 .*: (199|200)\.\d W now/);
    expect(end.stdout).toMatch(/power field +power\.draw\.average/);
    expect(end.stdout).toMatch(/mean of the last 1000 ms, renewed every 100 ms/);
  });

  test("--json prints one object with figures, refusals and warnings", async () => {
    const none = JSON.parse((await runCli(["rails", "--json"], { env: NO_GPU })).stdout);
    expect(none).toMatchObject({
      schema: "joulemark.rails/1",
      metrics: {},
      validity: [{ reason: "rail_unreadable" }],
      warnings: [],
    });
    const standIn = await installStandIn({ devices: [gpu(0, { name: "SIMULATED GPU" })] });
    cleanups.push(() => standIn.remove());
    const some = JSON.parse((await runCli(["rails", "--json"], { env: standIn.env })).stdout);
    expect(some.validity).toEqual([]);
    expect(Object.keys(some.metrics)).toEqual(["sim_rail_power_now_w"]);
  });

  test("a driver that hangs is not waited for longer than --rail-wait", async () => {
    const faults = [{ kind: "hang", afterTicks: 0, oneShotToo: true }] as const;
    const standIn = await installStandIn(box(1, { faults }));
    cleanups.push(() => standIn.remove());
    const end = await runCli(["rails", "--rail-wait", "0.5"], { env: standIn.env });
    expect(end.exitCode).toBe(0);
    expect(end.stdout).toContain("did not answer a query within 0.5 s");
  });
});
