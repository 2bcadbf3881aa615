import { describe } from "vitest";
import {
  expectHonestEnergy,
  expectSameAgain,
  type FaultBench,
  type KeptRun,
  railPid,
  reasonsOf,
  statesOf,
  test,
  type WatchedRun,
} from "../../support/fault-bench.ts";

/** Three cells of a second or two each, on a rail that is read often. */
const CELLS = [
  ...["--rail-period", "50", "--settle", "0.3", "--baseline", "0.5", "--input-tokens", "16"],
  ...["--concurrency", "1,2,3", "--requests", "3", "--output-tokens", "250"],
];

/** Does something to the rail in the middle of the second window. */
async function inSecondWindow(
  bench: FaultBench,
  act: (run: WatchedRun) => Promise<unknown>,
  flags: readonly string[] = [],
): Promise<KeptRun> {
  const engine = await bench.engine();
  const run = bench.bench("sweep", engine, [...CELLS, ...flags]);
  await bench.event(
    (event) => event.event === "phase" && event.phase === "window" && event.cell === 1,
  );
  await new Promise((resolve) => setTimeout(resolve, 300));
  await act(run);
  return bench.kept(run);
}

// One after the other: a stand-in that has no core for 3 s is no rail that could fail.
describe("a rail that fails in a window", () => {
  test.for([
    ["dies", "SIGKILL", /killed by SIGKILL/],
    ["hangs", "SIGSTOP", /no reading|gave no|silent|hung|stalled/i],
  ] as const)(
    "because nvidia-smi %s costs its energy and nothing else",
    async ([, signal, detail], { bench, expect }) => {
      const { exitCode, stdout, stderr, record, folder } = await inSecondWindow(
        bench,
        async (run) => process.kill(await railPid(run), signal),
      );
      expect(exitCode).toBe(0);
      expect(stderr).not.toContain("a bug");
      expect(statesOf(record)).toEqual(["measured", "measured", "measured"]);
      for (const cell of record.cells) {
        expectHonestEnergy(cell);
        expect(cell.counts).toMatchObject({ ok: 3, failed: 0 });
        expect(cell.metrics["output_tok_s"]).toBeGreaterThan(0);
      }
      const [before, during, after] = record.cells;
      expect(before!.metrics["sim_rail_energy_j"]).toBeGreaterThan(0);
      for (const cell of [during!, after!]) {
        const told = cell.validity.find(({ refuses }) => refuses === "energy");
        expect(told).toMatchObject({ reason: "rail_stalled" });
        expect(told!.detail).toMatch(detail);
        expect(Object.keys(cell.metrics).filter((key) => key.startsWith("sim_rail_"))).toEqual([]);
      }
      expect(stdout).toContain("[rail_stalled]");
      expect(record.metrics).not.toHaveProperty("c2_sim_rail_energy_j");
      expect(record.metrics["sim_rail_idle_power_w"]).toBeGreaterThan(0);
      await expectSameAgain(folder);
    },
  );

  test("is inconclusive where energy is required", async ({ bench, expect }) => {
    const act = async (run: WatchedRun): Promise<boolean> =>
      process.kill(await railPid(run), "SIGKILL");
    const { exitCode, record } = await inSecondWindow(bench, act, ["--require-energy"]);
    expect(exitCode).toBe(4);
    expect(statesOf(record)).toEqual(["measured", "measured", "measured"]);
  });

  test.for(["lose-device", "drop-device"] as const)(
    "by %s of one of two serving GPUs has no smaller sum in its place",
    async (kind, { bench, expect }) => {
      const faults = [{ kind, index: 1, afterTicks: 45 }] as const;
      const engine = await bench.engine({ set: { "power.gpuCount": 2 }, rail: { faults } });
      const run = await bench.kept(bench.bench("sweep", engine, CELLS));
      expect(run.exitCode).toBe(0);
      expect(statesOf(run.record)).toEqual(["measured", "measured", "measured"]);
      for (const cell of run.record.cells) expectHonestEnergy(cell);
      const last = run.record.cells[2]!;
      expect(reasonsOf(last).join()).toMatch(/rail_(stalled|device_missing|no_samples|gap)/);
      expect(last.validity.map(({ detail }) => detail).join()).toContain("GPU 1");
      expect(last.counts).toMatchObject({ ok: 3, failed: 0 });
      await expectSameAgain(run.folder);
    },
  );
});
