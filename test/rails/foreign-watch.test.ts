import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ComputeApp, Scenario } from "../../src/engine/nvidia-smi/scenario.ts";
import { ForeignWatch } from "../../src/rails/foreign-watch.ts";
import { cleanups } from "../support/open-rail.ts";
import { box } from "../support/scenarios.ts";
import { installStandIn } from "../support/stand-in.ts";
import { ANY_IPV4_8000, createFakeProcfs, tcpRow } from "./fake-procfs.ts";

const SERVER: ComputeApp = { gpuUuid: "GPU-00000000", pid: 11, smPercent: 80 };
const other = (more: Partial<ComputeApp> = {}): ComputeApp => ({
  gpuUuid: "GPU-00000000",
  pid: 50,
  smPercent: 0,
  ...more,
});
const NOTHING = { reasons: [], warnings: [] };

/** A watch on GPU 0 of two, on which a server (10) with a worker (11) computes. */
async function watchOf(
  computeApps: readonly ComputeApp[],
  more: Partial<Scenario> = {},
  hasServer = true,
) {
  const scenario = (apps: readonly ComputeApp[]) => box(2, { computeApps: apps, ...more });
  const standIn = await installStandIn(scenario(computeApps));
  cleanups.push(() => standIn.remove());
  const procRoot = await createFakeProcfs({
    tables: { tcp: [tcpRow(ANY_IPV4_8000, 77)] },
    processes: [
      { pid: 10, parentPid: 1, name: "vllm", openFiles: ["socket:[77]"] },
      { pid: 11, parentPid: 10, name: "VLLM::EngineCor" },
      { pid: 50, parentPid: 1, name: "python3" },
      { pid: 60, parentPid: 1, name: "nvidia-cuda-mps" },
    ],
  });
  const watch = new ForeignWatch({
    path: standIn.path,
    ...(hasServer && { endpoint: { port: 8000 } }),
    devices: [{ id: "GPU-00000000", index: 0 }],
    procRoot,
  });
  /** What the driver lists from now on. */
  const becomes = (apps: readonly ComputeApp[], change: Partial<Scenario> = {}): void =>
    writeFileSync(
      join(standIn.dir, "scenario.json"),
      JSON.stringify({ ...scenario(apps), ...change }),
    );
  return { watch, becomes };
}

describe("ForeignWatch", () => {
  test("a foreign process that works is refused from the look that sees it on", async () => {
    const { watch, becomes } = await watchOf([SERVER, other()]);
    expect(await watch.look()).toEqual(NOTHING);
    becomes([SERVER, other({ smPercent: 45 })]);
    const found = await watch.look();
    expect(found.reasons).toMatchObject([{ reason: "rail_foreign_load", refuses: "energy" }]);
    expect(found.reasons[0]!.detail).toContain("pid 50 (python3), 45 % of the time");
    becomes([SERVER, other()]);
    // It worked before this window, and may have done so in it.
    expect((await watch.look()).reasons).toHaveLength(1);
    expect(await watch.look()).toEqual(NOTHING);
  });

  test("the server's own work, however late, is not foreign", async () => {
    const { watch } = await watchOf([SERVER, other(), { ...SERVER, pid: 10 }]);
    expect(await watch.look()).toEqual(NOTHING);
  });

  test("work on a GPU that does not serve is not foreign, also of one with a context on both", async () => {
    const elsewhere = other({ gpuUuid: "GPU-00000001", smPercent: 90 });
    const { watch } = await watchOf([SERVER, other(), elsewhere]);
    expect(await watch.look()).toEqual(NOTHING);
  });

  test("NVIDIA's multi-process service works for its clients", async () => {
    const { watch } = await watchOf([SERVER, other({ pid: 60, smPercent: 90 })]);
    expect(await watch.look()).toEqual(NOTHING);
  });

  test("a process that comes without being seen to work is a warning", async () => {
    const { watch, becomes } = await watchOf([SERVER]);
    expect(await watch.look()).toEqual(NOTHING);
    becomes([SERVER, other()]);
    expect(await watch.look()).toMatchObject({
      reasons: [],
      warnings: [expect.stringContaining("pid 50 (python3) came")],
    });
    expect(await watch.look()).toEqual(NOTHING);
  });

  test.each([
    { why: "the driver has no account", refusedFields: ["pmon"], smPercent: 45 },
    { why: "the account has a dash", refusedFields: [], smPercent: undefined },
  ])("where $why, that is a warning, once", async ({ refusedFields, smPercent }) => {
    const { smPercent: _, ...app } = other();
    const told = smPercent === undefined ? app : { ...app, smPercent };
    const { watch } = await watchOf([SERVER, told], { refusedFields });
    expect(await watch.look()).toMatchObject({
      reasons: [],
      warnings: [expect.stringContaining("does not say whether it works")],
    });
    expect(await watch.look()).toEqual(NOTHING);
  });

  test("beside a command whoever works is told, once, and refuses nothing", async () => {
    const { watch, becomes } = await watchOf([SERVER, other()], {}, false);
    expect(await watch.look()).toEqual({
      reasons: [],
      warnings: [expect.stringMatching(/^pid 11 .*80 % of the time.* command does not run/)],
    });
    becomes([SERVER, other({ smPercent: 45 })]);
    expect((await watch.look()).warnings).toEqual([expect.stringMatching(/^pid 50 \(python3\)/)]);
    expect(await watch.look()).toEqual(NOTHING);
  });

  test("of a server that is not known nobody is foreign, and what works is told once", async () => {
    const { watch } = await watchOf([other({ smPercent: 45 })]);
    expect(await watch.look()).toMatchObject({
      reasons: [],
      warnings: [expect.stringMatching(/pid 50 .*whether it is the server's is not known/)],
    });
    expect(await watch.look()).toEqual(NOTHING);
  });

  test("a driver that hangs costs a bounded time, once, and keeps what was seen before", async () => {
    const { watch, becomes } = await watchOf([SERVER, other({ smPercent: 45 })]);
    expect((await watch.look()).reasons).toHaveLength(1);
    becomes([SERVER], { faults: [{ kind: "hang", afterTicks: 0, oneShotToo: true }] });
    expect(await watch.look()).toMatchObject({
      reasons: [{ reason: "rail_foreign_load" }],
      warnings: [expect.stringMatching(/not looked for any more: .*within 2\.0 s/)],
    });
    expect((await watch.look()).warnings).toEqual([]);
  });

  test("a look that is cut short says what was known, and never rejects", async () => {
    const { watch } = await watchOf([SERVER, other({ smPercent: 45 })]);
    const stop = new AbortController();
    const looking = watch.look(stop.signal);
    stop.abort(new Error("enough"));
    expect(await looking).toEqual(NOTHING);
    expect((await watch.look()).reasons).toHaveLength(1);
  });
});
