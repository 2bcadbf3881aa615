import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { powerProfile } from "../power/power-profile.ts";
import { askOnce, engineRail } from "./engine-rail.ts";

const ONE_S = 1e9;
const FOUR_GPUS = { power: powerProfile({ gpuCount: 2 }), firstIndex: 1, boxGpuCount: 4 };

/** Long enough ago for every sensor to have settled. */
const longAgo = () => process.hrtime.bigint() - 10n * BigInt(ONE_S);

describe("the box of an engine", () => {
  test("has GPUs that serve and GPUs that do not, each with a uuid of its own", async () => {
    const { devices } = await engineRail(FOUR_GPUS);
    expect(devices.map(({ index, serves }) => [index, serves])).toEqual([
      [0, false],
      [1, true],
      [2, true],
      [3, false],
    ]);
    expect(new Set(devices.map(({ uuid }) => uuid)).size).toBe(4);
    for (const { uuid, name } of devices) {
      expect(uuid).toMatch(/^GPU-[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
      expect(name).toBe("SIMULATED H100");
    }
    expect((await engineRail(FOUR_GPUS)).devices).toEqual(devices);
    expect((await engineRail({ ...FOUR_GPUS, seed: 2 })).devices).not.toEqual(devices);
  });

  test("tells who holds which GPU", async () => {
    const tenants = [{ index: 0, pid: 77, load: { kind: "constant", powerW: 50 } }] as const;
    const rail = await engineRail({ ...FOUR_GPUS, tenants, pid: 4242 });
    const uuids = rail.devices.map(({ uuid }) => uuid);
    expect(askOnce(rail, "gpu_uuid,pid,process_name", "compute-apps")).toEqual([
      [uuids[1], "4242", process.execPath],
      [uuids[2], "4242", process.execPath],
      [uuids[0], "77", "/usr/bin/tenant"],
    ]);
  });

  test("shows what the engine draws, what idles, and tenants on top of either", async () => {
    const rail = await engineRail({
      ...FOUR_GPUS,
      originNs: longAgo(),
      tenants: [
        { index: 0, pid: 1, load: { kind: "constant", powerW: 50 } },
        { index: 1, pid: 2, load: { kind: "constant", powerW: 25.5 } },
      ],
    });
    rail.write(0, [300, 700], true);
    const fields = "index,power.draw,power.draw.average,power.draw.instant,power.limit";
    expect(askOnce(rail, `${fields},clocks_event_reasons.sw_power_cap`)).toEqual([
      ["0", "150.00", "150.00", "150.00", "700.00", "Not Active"],
      ["1", "325.50", "325.50", "325.50", "700.00", "Not Active"],
      ["2", "700.00", "700.00", "700.00", "700.00", "Active"],
      ["3", "100.00", "100.00", "100.00", "700.00", "Not Active"],
    ]);
  });

  test("has the sensors of its generation, its MIG mode, its driver, its faults", async () => {
    const rail = await engineRail({
      power: powerProfile({ generation: "turing" }),
      migMode: "Enabled",
      faults: [{ kind: "rubbish", afterTicks: 0, lines: ["hello"], oneShotToo: true }],
    });
    expect(askOnce(rail, "power.draw,power.draw.average,mig.mode.current")).toEqual([
      ["100.00", "[N/A]", "Enabled"],
      ["hello"],
    ]);
    const old = await engineRail({ driver: "old" });
    expect(askOnce(old, "power.draw.average")[0]).toEqual([
      'Field "power.draw.average" is not a valid field to query.',
    ]);
  });

  test("counts the time capped as the engine felt it", async () => {
    const rail = await engineRail({ originNs: longAgo() });
    rail.write(0, [700], true);
    rail.write(1.5 * ONE_S, [300], false);
    rail.write(2 * ONE_S, [700], true);
    rail.write(2.25 * ONE_S, [300], false);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(askOnce(rail, "clocks_event_reasons_counters.sw_power_cap")).toEqual([["1750000"]]);
  });
});

test.each([
  { problem: "SIMULATED", more: { power: powerProfile({ gpuName: "NVIDIA H100" }) } },
  { problem: "do not fit into a box of 1", more: { firstIndex: 1, boxGpuCount: 1 } },
  {
    problem: "GPU 9 is not in a box of 1",
    more: { tenants: [{ index: 9, pid: 1, load: { kind: "constant" as const, powerW: 1 } }] },
  },
])("a box that cannot be is refused: $problem", async ({ problem, more }) => {
  await expect(engineRail(more)).rejects.toMatchObject({
    code: "bad_option",
    message: expect.stringContaining(problem),
  });
});

describe("the folder of a rail", () => {
  test("is a temporary one that goes with it", async () => {
    const rail = await engineRail();
    rail.write(0, [100], false);
    expect(readdirSync(rail.dir).toSorted()).toEqual([
      "gpu-0.jsonl",
      "nvidia-smi",
      "scenario.json",
    ]);
    await rail.remove();
    expect(existsSync(rail.dir)).toBe(false);
    rail.write(1, [200], false);
    await rail.remove();
    expect(rail.trouble).toBeUndefined();
  });

  test("that was given is made, and keeps what others have put there", async () => {
    const parent = mkdtempSync(join(tmpdir(), "joulemark-rail-"));
    onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
    const rail = await engineRail({ dir: join(parent, "rail") });
    expect(askOnce(rail, "index")).toEqual([["0"]]);
    writeFileSync(join(rail.dir, "note.txt"), "mine");
    await rail.remove();
    expect(readdirSync(rail.dir)).toEqual(["note.txt"]);
  });
});

test("a full disk is told, and does not stop the engine", {
  skip: !existsSync("/dev/full"),
}, async () => {
  const dir = mkdtempSync(join(tmpdir(), "joulemark-rail-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  symlinkSync("/dev/full", join(dir, "gpu-0.jsonl"));
  const rail = await engineRail({ dir, power: powerProfile({ gpuCount: 2 }), originNs: longAgo() });
  for (let i = 0; i < 100; i++) {
    rail.write(i, [100 + i, 300], false);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect(rail.trouble).toContain("ENOSPC");
  expect(askOnce(rail, "power.draw.average")).toEqual([["100.00"], ["300.00"]]);
});
