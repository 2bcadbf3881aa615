import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Scenario } from "../../../src/engine/nvidia-smi/scenario.ts";
import { childrenOf, commandOf } from "../../support/children.ts";
import { eventually, isAlive } from "../../support/eventually.ts";
import { cleanups } from "../../support/open-rail.ts";
import { runCli, startCli } from "../../support/run-cli.ts";
import { box, gpu } from "../../support/scenarios.ts";
import { installStandIn } from "../../support/stand-in.ts";

/** Quick, so that tests are: readings every 50 ms, half a second of baseline, no quiet time. */
const QUICK = ["--rail-period", "50", "--baseline", "0.5", "--settle", "0"];

interface Printed {
  readonly command: string;
  readonly exitCode: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly metrics: Record<string, number>;
  readonly byDevice?: Record<string, { energyJ: number }>;
  readonly validity: readonly { readonly reason: string; readonly detail: string }[];
  readonly warnings: readonly string[];
}

/** The environment with this stand-in as the `nvidia-smi` in the PATH. */
async function withStandIn(scenario: Scenario): Promise<NodeJS.ProcessEnv> {
  const standIn = await installStandIn(scenario);
  cleanups.push(() => standIn.remove());
  return standIn.env;
}

async function measure(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  flags: readonly string[] = [],
): Promise<Printed & { readonly processExitCode: number | null }> {
  const end = await runCli(["measure", "--json", ...QUICK, ...flags, "--", ...words], { env });
  return { ...(JSON.parse(end.stdout) as Printed), processExitCode: end.exitCode };
}

const reasonsOf = ({ validity }: Printed): string[] => validity.map(({ reason }) => reason);

describe("the joules of a command", () => {
  test("are confirmed to 1e-9 by an integration of the log of its own readings", async () => {
    const out = await mkdtemp(join(tmpdir(), "joulemark-out-"));
    const printed = await measure(["sleep", "1"], await withStandIn(box(1)), ["--out", out]);
    const folder = join(out, readdirSync(out)[0]!);
    const lines = readFileSync(join(folder, "rail.jsonl"), "utf8").trim().split("\n");
    const readings = lines
      .map((line) => JSON.parse(line) as { samples?: { atMs: number; powerW: number }[] })
      .flatMap(({ samples }) => samples ?? [])
      .filter(({ atMs }) => atMs >= printed.startMs && atMs <= printed.endMs);
    expect(readings.length).toBeGreaterThan(10);
    // Counted from the end: what each reading adds from its own time, or the start, to the next.
    let untilMs = printed.endMs;
    let energyJ = 0;
    for (const [i, { atMs, powerW }] of [...readings.entries()].toReversed()) {
      const fromMs = i === 0 ? printed.startMs : atMs;
      energyJ += (powerW * (untilMs - fromMs)) / 1000;
      untilMs = fromMs;
    }
    const toldJ = printed.metrics["gpu_rail_energy_j"]!;
    expect(Math.abs(toldJ - energyJ) / energyJ).toBeLessThan(1e-9);
    const kept = JSON.parse(readFileSync(join(folder, "record.json"), "utf8")) as Printed;
    expect(kept.metrics).toEqual(printed.metrics);
  });

  test("come with the baseline, what is above it, and the sampler's cost", async () => {
    const { metrics, validity } = await measure(["sleep", "0.8"], await withStandIn(box(1)));
    expect(Math.abs(metrics["gpu_rail_idle_power_w"]! - 100)).toBeLessThan(1);
    expect(Math.abs(metrics["gpu_rail_energy_above_idle_j"]!)).toBeLessThan(1);
    expect(metrics["gpu_rail_mean_power_w"]).toBeCloseTo(
      metrics["gpu_rail_energy_j"]! / metrics["gpu_rail_energy_window_s"]!,
      9,
    );
    expect(metrics["gpu_rail_sample_period_ms"]).toBe(50);
    expect(metrics["gpu_rail_sw_power_cap_frac"]).toBe(0);
    expect(metrics["gpu_rail_sampler_wall_s"]).toBeGreaterThan(1);
    // However short the quiet time is, the readings that the window needs are waited for.
    expect(validity).toEqual([]);
  });

  test("of eight GPUs add up, and the words say that all of them count", async () => {
    const printed = await measure(["sleep", "0.8"], await withStandIn(box(8)));
    const parts = Object.values(printed.byDevice ?? {});
    expect(parts).toHaveLength(8);
    const sumJ = parts.reduce((sum, { energyJ }) => sum + energyJ, 0);
    expect(printed.metrics["gpu_rail_energy_j"]).toBeCloseTo(sumJ, 9);
    expect(Math.abs(printed.metrics["gpu_rail_mean_power_w"]! - 3600)).toBeLessThan(8);
    expect(printed.warnings.join()).toContain("--rail-devices");
    const some = await measure(["sleep", "0.5"], await withStandIn(box(8)), [
      "--rail-devices",
      "0,7",
    ]);
    expect(Math.abs(some.metrics["gpu_rail_mean_power_w"]! - 900)).toBeLessThan(4);
    expect(some.warnings.join()).not.toContain("--rail-devices");
  });

  test("come with a warning of another process that works on the GPU", async () => {
    const tenant = { load: { kind: "constant", powerW: 80 }, originNs: "0", pid: 1 } as const;
    const apps = [{ gpuUuid: "GPU-00000000", pid: 1 }];
    const shared = { devices: [gpu(0, { tenants: [tenant] })], computeApps: apps };
    const printed = await measure(["sleep", "0.5"], await withStandIn(shared));
    const told = printed.warnings.filter((text) => text.includes("while the command does not run"));
    expect(told).toEqual([expect.stringMatching(/^pid 1 .*its energy is in the number$/)]);
    const alone = await measure(["sleep", "0.5"], await withStandIn(box(1)));
    expect(alone.warnings.join()).not.toContain("does not run");
  });

  test("of a simulated rail have no key of a real one", async () => {
    const scenario = { devices: [gpu(0, { name: "SIMULATED GPU" })] };
    const { metrics } = await measure(["sleep", "0.6"], await withStandIn(scenario));
    expect(Object.keys(metrics).length).toBeGreaterThan(8);
    expect(Object.keys(metrics).every((key) => key.startsWith("sim_rail_"))).toBe(true);
  });

  test("are refused when the rail dies under the command, which goes on", async () => {
    const env = await withStandIn(box(1, { logFile: "log.jsonl" }));
    const run = startCli(
      ["measure", "--json", ...QUICK, "--", "sh", "-c", "echo up; sleep 2; exit 5"],
      { env },
    );
    await eventually("the command runs", () => /^up$/m.test(run.said.stderr));
    const [smi] = childrenOf(run.child.pid!).filter((pid) => commandOf(pid).includes("nvidia-smi"));
    process.kill(smi!, "SIGKILL");
    const end = await run.ended;
    const printed = JSON.parse(end.stdout) as Printed;
    expect(end.exitCode).toBe(5);
    expect(reasonsOf(printed)).toContain("rail_stalled");
    expect(printed.validity[0]!.detail).toContain("killed by SIGKILL");
    expect(printed.metrics).not.toHaveProperty("gpu_rail_energy_j");
    expect(printed.metrics).not.toHaveProperty("gpu_rail_energy_above_idle_j");
    expect(printed.metrics).toHaveProperty("gpu_rail_idle_power_w");
  });

  test("are absent where there is no rail, with the reason, and the command runs all the same", async () => {
    const printed = await measure(["sh", "-c", "exit 3"], process.env, [
      "--nvidia-smi",
      "/nowhere/x",
    ]);
    expect(printed.processExitCode).toBe(3);
    expect(reasonsOf(printed)).toEqual(["rail_unreadable"]);
    expect(printed.validity[0]!.detail).toContain("/nowhere/x was not found");
    expect(printed.metrics).toEqual({});
  });

  test("are not looked for with --rail none", async () => {
    const printed = await measure(["true"], process.env, ["--rail", "none"]);
    expect(printed.validity[0]).toMatchObject({
      reason: "rail_unreadable",
      detail: "switched off with --rail none",
    });
  });
});

describe("the command keeps what is its own", () => {
  const NO_RAIL = ["--rail", "none"];

  test("its stdin, stdout, stderr and exit code", async () => {
    const script = "read line; echo out $line; echo err >&2; exit 42";
    const end = await runCli(["measure", ...NO_RAIL, "--", "sh", "-c", script], { input: "in\n" });
    expect(end.exitCode).toBe(42);
    expect(end.stdout).toBe("out in\n");
    expect(end.stderr).toContain("err\n");
    expect(end.stderr).toContain("joulemark measure · sh · exit code 42");
  });

  test("with --json its stdout goes to stderr, and one object alone is on stdout", async () => {
    const end = await runCli(["measure", "--json", ...NO_RAIL, "--", "echo", "hello"]);
    expect(JSON.parse(end.stdout)).toMatchObject({ schema: "joulemark.measure/1", exitCode: 0 });
    expect(end.stderr).toContain("hello");
  });

  test("its flags, with and without --", async () => {
    const bare = await runCli(["measure", ...NO_RAIL, "echo", "--json", "-x"]);
    expect(bare.stdout).toBe("--json -x\n");
    const behind = await runCli(["measure", ...NO_RAIL, "--", "echo", "--", "--json"]);
    expect(behind.stdout).toBe("-- --json\n");
  });

  test("a signal that kills it gives 128 + its number", async () => {
    const end = await runCli(["measure", ...NO_RAIL, "--", "sh", "-c", "kill -TERM $$"]);
    expect(end.exitCode).toBe(143);
    expect(end.stderr).toContain("killed by SIGTERM");
  });

  test("its arguments stand in no record, since they may hold keys", async () => {
    const out = await mkdtemp(join(tmpdir(), "joulemark-out-"));
    const words = ["sh", "-c", "true", "--api-key=sk-test-SECRET123"];
    const end = await runCli(["measure", "--json", ...NO_RAIL, "--out", out, "--", ...words]);
    const folder = join(out, readdirSync(out)[0]!);
    const kept = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
    expect(kept.length).toBeGreaterThan(0);
    expect([end.stdout, end.stderr, ...kept].join()).not.toContain("SECRET123");
  });

  test("what does not exist is 127, what may not be executed is 126, and nothing is measured", async () => {
    const missing = await runCli(["measure", "--", "no-such-command-here"]);
    expect(missing.exitCode).toBe(127);
    expect(missing.stderr).toBe(
      "joulemark: no-such-command-here: command not found; nothing was measured\n",
    );
    const file = join(await mkdtemp(join(tmpdir(), "joulemark-")), "plain");
    writeFileSync(file, "echo no");
    chmodSync(file, 0o644);
    const plain = await runCli(["measure", "--", file]);
    expect(plain.exitCode).toBe(126);
    expect(plain.stderr).toContain("is not executable");
    expect((await runCli(["measure", "--", tmpdir()])).exitCode).toBe(126);
  });
});

describe("outputs that go away", () => {
  const run = (shell: string): { status: number | null; stdout: string } => {
    const { status, stdout } = spawnSync("bash", ["-c", shell], { encoding: "utf8" });
    return { status, stdout };
  };
  const joulemark = `${process.execPath} ${fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url))}`;

  test.each([
    ["a closed stderr", `${joulemark} measure --rail none -- sh -c 'echo ran; exit 7' 2>&-`],
    [
      "a full disk behind stderr",
      `${joulemark} measure --rail none -- sh -c 'echo ran; exit 7' 2>/dev/full`,
    ],
    [
      "a reader of stderr that leaves",
      `${joulemark} measure --rail none -- sh -c 'echo ran; exit 7' 2> >(true)`,
    ],
  ])("%s changes neither the command nor its exit code", (_what, shell) => {
    expect(run(shell)).toEqual({ status: 7, stdout: "ran\n" });
  });

  test("a result that no one reads is no failure, one that cannot be written is", () => {
    expect(run(`${joulemark} rails --json | true; echo \${PIPESTATUS[0]}`).stdout).toBe("0\n");
    expect(run(`${joulemark} rails --json >/dev/full`).status).toBe(1);
  });
});

describe("interruptions", () => {
  test.each(["SIGINT", "SIGTERM"] as const)(
    "%s while the command runs is the command's",
    async (signal) => {
      const env = await withStandIn(box(1));
      const script = `trap 'echo caught; exit 9' INT TERM; echo up; while :; do sleep 0.05; done`;
      const run = startCli(["measure", "--json", ...QUICK, "--", "sh", "-c", script], { env });
      await eventually("the command runs", () => /^up$/m.test(run.said.stderr));
      await new Promise((resolve) => setTimeout(resolve, 400));
      const children = childrenOf(run.child.pid!);
      run.child.kill(signal);
      const end = await run.ended;
      expect(end.stderr).toContain("caught");
      expect(end.exitCode).toBe(9);
      const printed = JSON.parse(end.stdout) as Printed;
      expect(printed.metrics["gpu_rail_energy_j"]).toBeGreaterThan(0);
      await eventually("nothing is left", () => !children.some(isAlive));
    },
  );

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "%s before the command starts ends the run, and nothing is left",
    async (signal, exitCode) => {
      const env = await withStandIn(box(1));
      const run = startCli(["measure", "--json", "--baseline", "60", "--", "echo", "ran"], { env });
      await eventually("the rail is open", () =>
        childrenOf(run.child.pid!).some((pid) => commandOf(pid).includes("-lms")),
      );
      const children = childrenOf(run.child.pid!);
      run.child.kill(signal);
      const end = await run.ended;
      expect(end.exitCode).toBe(exitCode);
      expect(end.stdout).toBe("");
      expect(end.stderr).toContain("interrupted before the command was started");
      expect(end.stderr).not.toContain("ran");
      await eventually("nothing is left", () => !children.some(isAlive));
    },
  );

  test("a signal in the quiet time behind the command ends the wait, and what was measured is shown", async () => {
    const env = await withStandIn(box(1));
    const flags = ["--rail-period", "50", "--baseline", "0", "--settle", "60"];
    const run = startCli(
      ["measure", "--json", ...flags, "--", "sh", "-c", "sleep 0.6; echo done"],
      { env },
    );
    await eventually("the command is done", () => run.said.stderr.includes("done"));
    await new Promise((resolve) => setTimeout(resolve, 1500));
    run.child.kill("SIGINT");
    const end = await run.ended;
    expect(end.exitCode).toBe(0);
    expect((JSON.parse(end.stdout) as Printed).metrics["gpu_rail_energy_j"]).toBeGreaterThan(0);
  });
});

describe("wrong use is told, with exit code 2", () => {
  test.each<[string, string[], RegExp]>([
    ["no command", ["measure"], /missing required argument 'command'/],
    [
      "a misspelt flag",
      ["measure", "--setle", "1", "--", "true"],
      /unknown option '--setle'[\s\S]*--settle/,
    ],
    [
      "a settle time that is none",
      ["measure", "--settle", "soon", "--", "true"],
      /--settle <s>' argument 'soon' is invalid\. Give seconds/,
    ],
    [
      "a negative baseline",
      ["measure", "--baseline", "-1", "--", "true"],
      /argument '-1' is invalid/,
    ],
    [
      "a period of nothing",
      ["measure", "--rail-period", "0", "--", "true"],
      /argument '0' is invalid\. Give whole milliseconds/,
    ],
    [
      "an unknown rail",
      ["measure", "--rail", "gpu", "--", "true"],
      /Allowed choices are auto, nvidia-smi, none/,
    ],
    [
      "an empty list of devices",
      ["measure", "--rail-devices", "0,,1", "--", "true"],
      /Give indexes or uuids/,
    ],
    [
      "a folder that cannot be",
      ["measure", "--rail", "none", "--out", "/dev/null/x", "--", "true"],
      /--out \/dev\/null\/x: .*name a folder/,
    ],
    ["an unknown command", ["mesure"], /unknown command 'mesure'[\s\S]*measure/],
    ["no command at all", [], /Usage: joulemark/],
  ])("%s", async (_why, args, message) => {
    const end = await runCli(args);
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toMatch(message);
    expect(end.stdout).toBe("");
  });

  test("a GPU that is not there", async () => {
    const env = await withStandIn(box(2));
    const end = await runCli(["measure", "--rail-devices", "5", "--", "echo", "ran"], { env });
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toMatch(/no such GPU: 5; there are GPU 0/);
    expect(end.stdout).toBe("");
  });

  test("a program for nvidia-smi that is no path", async () => {
    const end = await runCli(["measure", "--nvidia-smi", "", "--", "echo", "ran"]);
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toContain("Give a path.");
    expect(end.stdout).toBe("");
    expect((await runCli(["measure", "--out", "--", "true"])).exitCode).toBe(2);
  });

  test("no command in the place of one is as the shell says it", async () => {
    expect((await runCli(["measure", "--", ""])).exitCode).toBe(127);
  });
});
