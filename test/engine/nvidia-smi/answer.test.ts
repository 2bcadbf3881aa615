import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { installStandIn } from "../../support/stand-in.ts";
import { ask, capture, gpu, query, scenarioOf } from "./child.ts";

const POWER = "power.draw.average";
const invalid = (field: string) => ({
  stdout: `Field "${field}" is not a valid field to query.\n\n`,
  stderr: "",
  exitCode: 2,
});

describe("one answer", () => {
  test("is one row for each GPU, watts with two decimals, then exit 0", async () => {
    const scenario = scenarioOf([gpu(0), gpu(1)]);
    const flags = "clocks_event_reasons.sw_power_cap,clocks_event_reasons.hw_power_brake_slowdown";
    expect(await query(scenario, `${POWER},${flags},index,uuid`)).toEqual({
      stdout:
        "100.00, Not Active, Not Active, 0, GPU-0\n101.00, Not Active, Not Active, 1, GPU-1\n",
      stderr: "",
      exitCode: 0,
    });
  });

  test("a header has units also with nounits, and the newest names", async () => {
    const fields = "power.draw,clocks_throttle_reasons.sw_power_cap,utilization.gpu,gpu_uuid";
    const answer = await ask(scenarioOf([gpu(0)]), `--query-gpu=${fields}`, "--format=csv,nounits");
    expect(answer.stdout).toBe(
      "power.draw [W], clocks_event_reasons.sw_power_cap, utilization.gpu [%], uuid\n" +
        "100.00, Not Active, [N/A], GPU-0\n",
    );
  });

  test("cells have units unless nounits is said", async () => {
    const device = gpu(0, { powerLimitW: 700, cells: { "utilization.gpu": "45" } });
    const fields = "power.draw.instant,power.limit,utilization.gpu,temperature.gpu";
    const answer = await ask(
      scenarioOf([device]),
      `--query-gpu=${fields}`,
      "--format=csv,noheader",
    );
    expect(answer.stdout).toBe("100.00 W, 700.00 W, 45 %, [N/A]\n");
  });

  test("every field that is promised is answered", async () => {
    const device = gpu(3, { powerLimitW: 100, migMode: "Enabled" });
    const fields =
      "timestamp,index,uuid,name,driver_version,pci.bus_id,power.limit,enforced.power.limit," +
      "mig.mode.current,clocks_event_reasons.sw_power_cap,clocks_event_reasons_counters.sw_power_cap";
    const { stdout } = await query(scenarioOf([device], { driverVersion: "1.2" }), fields);
    expect(stdout).toMatch(
      /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d\.\d{3}, 3, GPU-3, SIMULATED GPU, 1\.2, /,
    );
    expect(stdout).toMatch(/, 00000000:04:00\.0, 100\.00, 100\.00, Enabled, Active, [1-9]\d*\n$/);
  });

  test("a fixed cell goes before everything else", async () => {
    const device = gpu(0, { cells: { [POWER]: "[N/A]", "pci.bus_id": "0009:01:00.0" } });
    expect((await query(scenarioOf([device]), `${POWER},power.draw,pci.bus_id`)).stdout).toBe(
      "[N/A], 100.00, 0009:01:00.0\n",
    );
  });

  test("a steps file may hold what happened before the process started", async () => {
    const power = { kind: "steps-file", path: "not-there.jsonl", idleW: 61.5 } as const;
    expect((await query(scenarioOf([gpu(0, { power })]), POWER)).stdout).toBe("61.50\n");
  });
});

describe("GPUs by id", () => {
  const scenario = scenarioOf([gpu(0), gpu(1), gpu(2)]);

  test.each([
    { id: "1", rows: "1\n" },
    { id: "GPU-2,0", rows: "0\n2\n" },
    { id: "00000000:02:00.0", rows: "1\n" },
  ])("-i $id", async ({ id, rows }) => {
    expect((await query(scenario, "index", "-i", id)).stdout).toBe(rows);
  });

  test("one that is not there: a message and exit 6", async () => {
    const none = { stdout: "No devices were found\n", stderr: "", exitCode: 6 };
    expect(await query(scenario, "index", "--id=7")).toEqual(none);
    expect(await query(scenarioOf([]), "index")).toEqual(none);
  });
});

describe("fields that the driver does not know", () => {
  test("nothing but the message, on stdout, exit 2, also in a loop", async () => {
    const scenario = scenarioOf([gpu(0)]);
    expect(await query(scenario, "index,power.drawn")).toEqual(invalid("power.drawn"));
    expect(await query(scenario, "index,power.drawn", "-lms", "10")).toEqual(
      invalid("power.drawn"),
    );
  });

  test("an old driver refuses new fields by name and prefix, and keeps the old names", async () => {
    const refusedFields = [POWER, "clocks_event_reasons.*"];
    const scenario = scenarioOf([gpu(0)], { refusedFields });
    expect(await query(scenario, POWER)).toEqual(invalid(POWER));
    const cap = "clocks_event_reasons.sw_power_cap";
    expect(await query(scenario, `power.draw,${cap}`)).toEqual(invalid(cap));
    const old = "clocks_throttle_reasons.sw_power_cap";
    const { stdout } = await ask(scenario, `--query-gpu=${old}`, "--format=csv");
    expect(stdout).toBe(`${old}\nNot Active\n`);
  });
});

describe("other questions", () => {
  test("-L lists the GPUs", async () => {
    const { stdout } = await ask(scenarioOf([gpu(0), gpu(1, { name: "SIMULATED B" })]), "-L");
    expect(stdout).toBe("GPU 0: SIMULATED GPU (UUID: GPU-0)\nGPU 1: SIMULATED B (UUID: GPU-1)\n");
  });

  test("compute apps, of the GPUs asked", async () => {
    const computeApps = [
      { gpuUuid: "GPU-0", pid: 11, processName: "vllm", usedMemoryMib: 2048 },
      { gpuUuid: "GPU-1", pid: 12 },
    ];
    const scenario = scenarioOf([gpu(0), gpu(1)], { computeApps });
    const apps = "--query-compute-apps=gpu_uuid,pid,process_name,used_memory";
    expect((await ask(scenario, apps, "--format=csv")).stdout).toBe(
      "gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n" +
        "GPU-0, 11, vllm, 2048 MiB\nGPU-1, 12, [N/A], [N/A]\n",
    );
    const one = await ask(scenario, apps, "--format=csv,noheader,nounits", "-i", "0");
    expect(one.stdout).toBe("GPU-0, 11, vllm, 2048\n");
    const none = await ask(scenarioOf([gpu(0)]), apps, "--format=csv,noheader");
    expect(none).toEqual({ stdout: "", stderr: "", exitCode: 0 });
    expect(await ask(scenario, "--query-compute-apps=pid,x", "--format=csv")).toEqual(invalid("x"));
  });

  test("pmon tells who works how much, as wide as real ones do", async () => {
    const computeApps = [
      { gpuUuid: "GPU-0", pid: 11, processName: "/usr/bin/python3", smPercent: 45 },
      { gpuUuid: "GPU-0", pid: 1234567, processName: "vllm" },
    ];
    const scenario = scenarioOf([gpu(0), gpu(1)], { computeApps });
    expect((await ask(scenario, "pmon", "-c", "1", "-s", "u")).stdout).toBe(
      `${[
        "# gpu         pid   type     sm    mem    enc    dec    jpg    ofa    command        ",
        "# Idx           #    C/G      %      %      %      %      %      %    name           ",
        "    0          11      C     45      -      -      -      -      -    python3        ",
        "    0     1234567      C      -      -      -      -      -      -    vllm           ",
        "    1           -      -      -      -      -      -      -      -    -              ",
      ].join("\n")}\n`,
    );
    const old = { ...scenario, driverVersion: "525.85.12" };
    expect((await ask(old, "pmon", "-c", "1", "-i", "1")).stdout.split("\n")[0]).not.toContain(
      "jpg",
    );
    const refused = await ask({ ...scenario, refusedFields: ["pmon"] }, "pmon", "-c", "1");
    expect(refused).toMatchObject({
      stdout: expect.stringContaining("Not supported on the device(s)"),
      exitCode: 3,
    });
  });

  test("pmon tells of a tenant what its load does, and ends after the ticks asked for", async () => {
    const originNs = "0";
    const tenants = [
      { load: { kind: "constant", powerW: 50 }, originNs, pid: 7 },
      { load: { kind: "constant", powerW: 0 }, originNs, pid: 8 },
      { load: { kind: "square", lowW: 0, highW: 80, periodMs: 100, highMs: 25 }, originNs, pid: 9 },
    ] as const;
    const computeApps = tenants.map(({ pid }) => ({ gpuUuid: "GPU-0", pid }));
    const scenario = scenarioOf([gpu(0, { tenants })], { computeApps });
    const { stdout, exitCode } = await ask(scenario, "pmon", "-c", "2", "-s", "u");
    const rows = stdout.trimEnd().split("\n").slice(2);
    const work = rows.map((row) => row.trim().split(/\s+/).slice(1, 4).join(" "));
    expect(work).toEqual(["7 C 100", "8 C 0", "9 C 25", "7 C 100", "8 C 0", "9 C 25"]);
    expect(exitCode).toBe(0);
  });

  test("without a scenario it says so and exits with 2", () => {
    const main = fileURLToPath(new URL("../../../dist/engine/nvidia-smi/main.js", import.meta.url));
    const { JOULEMARK_STAND_IN: _, ...env } = process.env;
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, "-L"], { env });
    expect({ status, stdout: String(stdout) }).toEqual({ status: 2, stdout: "" });
    expect(String(stderr)).toContain("set JOULEMARK_STAND_IN to its scenario file");
  });
});

describe("whole outputs", () => {
  test.each([
    { name: "err-no-devices.txt", exitCode: 6, begins: "No devices were found\n" },
    { name: "err-driver-not-communicating.txt", exitCode: 9, begins: "NVIDIA-SMI has failed" },
    { name: "err-version-mismatch.txt", exitCode: 18, begins: "Failed to initialize NVML" },
    { name: "err-device-handle-gpu-lost.txt", exitCode: 15, begins: "Unable to determine" },
  ])("$name is all that is ever printed, then exit $exitCode", async ({ name, ...wanted }) => {
    const file = capture(name);
    const scenario = scenarioOf([gpu(0)], { wholeOutput: { file, exitCode: wanted.exitCode } });
    for (const argv of [["-L"], ["--query-gpu=index", "--format=csv", "-lms", "10"], ["--what"]]) {
      const answer = await ask(scenario, ...argv);
      expect(answer.stdout.startsWith(wanted.begins)).toBe(true);
      expect(answer).toMatchObject({ exitCode: wanted.exitCode, stderr: "" });
    }
  });

  test("may be a text on stderr", async () => {
    const wholeOutput = { text: "broken\n", exitCode: 3, stream: "stderr" } as const;
    const answer = await ask(scenarioOf([], { wholeOutput }), "-L");
    expect(answer).toEqual({ stdout: "", stderr: "broken\n", exitCode: 3 });
  });
});

test("an installed stand-in is found through the PATH", async () => {
  const standIn = await installStandIn(scenarioOf([gpu(0)]));
  onTestFinished(() => standIn.remove());
  const { stdout } = spawnSync("nvidia-smi", ["-L"], { env: standIn.env });
  expect(String(stdout)).toBe("GPU 0: SIMULATED GPU (UUID: GPU-0)\n");
});
