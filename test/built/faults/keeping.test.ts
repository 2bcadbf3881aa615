import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe } from "vitest";
import { eventually } from "../../support/eventually.ts";
import {
  BRIEF,
  BRIEF_RAIL,
  expectSameAgain,
  type FaultBench,
  recordIn,
  statesOf,
  test,
} from "../../support/fault-bench.ts";

const SMALL = [...BRIEF, "--concurrency", "1,2", "--requests", "4", "--output-tokens", "16"];

/** A folder in a file system of its own; undefined, and why, where this user may mount none. */
function mounted(bench: FaultBench, options: string): { path?: string; why: string } {
  const path = join(bench.home, "mounted");
  mkdirSync(path);
  const mount = spawnSync("mount", ["-t", "tmpfs", "-o", options, "none", path]);
  if (mount.status === 0) {
    bench.atClose(() => void spawnSync("umount", ["-l", path]));
    return { path, why: "" };
  }
  return { why: `no tmpfs may be mounted here: ${String(mount.stderr ?? mount.error).trim()}` };
}

describe.concurrent("a disk that is full", () => {
  test("in mid-run ends nothing: the result is shown, and it is said that it is not kept", async ({
    bench,
    expect,
    skip,
  }) => {
    const { path, why } = mounted(bench, "size=24k");
    skip(path === undefined, why);
    const engine = await bench.engine();
    const flags = [...BRIEF_RAIL, "--concurrency", "1,2", "--requests", "20", "--json"];
    const shape = ["--input-tokens", "16", "--output-tokens", "32"];
    const run = bench.bench("sweep", engine, [...flags, ...shape, "--out", path!]);
    const end = await bench.over(run);
    expect(end.exitCode).toBe(1);
    expect(end.stderr).not.toContain("a bug");
    expect(end.stderr).toMatch(
      /cannot\s+be\s+written\s+at\s+the\s+moment\s+\([a-z]+\.jsonl:\s+ENOSPC/,
    );
    expect(end.stderr).toMatch(/not kept as a whole in .*\n.*ENOSPC[\s\S]*keep it/);
    const record = JSON.parse(end.stdout) as ReturnType<typeof recordIn>;
    expect(record.interrupted).toBe(false);
    expect(statesOf(record)).toEqual(["measured", "measured"]);
    for (const { counts, metrics } of record.cells) {
      expect(counts).toMatchObject({ ok: 20, failed: 0 });
      expect(metrics["sim_rail_energy_j"]).toBeGreaterThan(0);
    }
    expect(record.metrics["c2_output_tok_s"]).toBeGreaterThan(0);
    expect(record.log.map(({ text }) => text).join("\n")).toContain("not whole");
    const folder = join(path!, readdirSync(path!)[0]!);
    expect(readdirSync(folder).filter((file) => file.endsWith(".part"))).toEqual([]);
    // What did reach the disk is whole: a record of it claims nothing that is not there.
    const again = await bench.start(["rederive", folder, "--json"]).ended;
    if (again.exitCode === 0) {
      for (const cell of (JSON.parse(again.stdout) as typeof record).cells)
        if (cell.state === "measured") expect(cell.counts!.ok).toBe(20);
    } else expect(again.stderr).toMatch(/record\.json.*ENOSPC/);
  });

  test("and is emptied in time leaves a whole run", async ({ bench, expect, skip }) => {
    const { path, why } = mounted(bench, "size=64k");
    skip(path === undefined, why);
    const engine = await bench.engine();
    const flags = [...SMALL, "--out", path!, "--settle", "1.5", "--requests", "8"];
    const run = bench.bench("sweep", engine, flags);
    const hasBegun = (): boolean =>
      readdirSync(path!).some((name) => existsSync(join(path!, name, "run.json")));
    await eventually("the run has begun", hasBegun, 30_000);
    const ballast = join(path!, "ballast");
    // Until nothing more goes in.
    spawnSync("dd", ["if=/dev/zero", `of=${ballast}`, "bs=1k"]);
    await eventually("it is noticed", () => run.said.stderr.includes("ENOSPC"), 30_000);
    rmSync(ballast);
    const end = await bench.over(run);
    expect(end.exitCode).toBe(0);
    const folder = join(path!, readdirSync(path!)[0]!);
    expect(statesOf(recordIn(folder))).toEqual(["measured", "measured"]);
    expect(recordIn(folder).damage).toEqual([]);
    await expectSameAgain(folder);
  });

  test("from the start is told before anything is measured", async ({ bench, expect, skip }) => {
    const { path, why } = mounted(bench, "size=4k");
    skip(path === undefined, why);
    writeFileSync(join(path!, "ballast"), "x".repeat(4096));
    const engine = await bench.engine();
    const end = await bench.over(bench.bench("sweep", engine, [...SMALL, "--out", path!]));
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toMatch(/--out .*ENOSPC.*name a folder that can be written/);
    expect(end.stdout).toBe("");
    expect(readdirSync(path!)).toEqual(["ballast"]);
  });

  test("for one file of the run alone is no other case", async ({ bench, expect }) => {
    const engine = await bench.engine();
    const flags = [...SMALL, "--requests", "60", "--quiet"];
    const { url } = engine;
    const main = join(import.meta.dirname, "../../../dist/cli/main.js");
    const words = [main, "sweep", "--target", url, "--out", bench.out, ...flags];
    // The system takes 16 kB of each file, as it would with a quota.
    const shell = `ulimit -f 16; exec "$0" "$@"`;
    const end = await bench.startProgram("bash", ["-c", shell, process.execPath, ...words]).ended;
    expect(end.exitCode).toBe(1);
    expect(end.stderr).toMatch(/not kept as a whole in .*\n +requests\.jsonl: EFBIG/);
    expect(end.stdout).toMatch(/^ +1 +\d+/m);
    const record = recordIn(bench.folder());
    expect(statesOf(record)).toEqual(["measured", "measured"]);
    expect(record.cells[1]!.counts!.ok).toBe(60);
    await bench.start(["rederive", bench.folder()]).ended;
    const poorer = recordIn(bench.folder());
    for (const { state, counts, metrics } of poorer.cells)
      if (state === "measured") expect(counts!.ok).toBe(60);
      else expect(metrics).toEqual({});
    expect(poorer.interrupted).toBe(true);
  });

  test("behind stdout is a failure, a reader that leaves is none", async ({ bench, expect }) => {
    const engine = await bench.engine();
    const main = join(import.meta.dirname, "../../../dist/cli/main.js");
    const words = [main, "sweep", "--target", engine.url, "--out", bench.out, ...SMALL, "--json"];
    const status = async (redirect: string): Promise<number | null> => {
      const shell = `"$0" "$@" ${redirect}; exit $status`;
      return (await bench.startProgram("bash", ["-c", shell, process.execPath, ...words]).ended)
        .exitCode;
    };
    expect(await status(">/dev/full; status=$?")).toBe(1);
    expect(await status("2>/dev/full; status=$?")).toBe(0);
    expect(await status("| true; status=$PIPESTATUS")).toBe(0);
    for (const folder of readdirSync(bench.out))
      expect(recordIn(join(bench.out, folder)).interrupted).toBe(false);
  });
});

describe.concurrent("a folder that cannot be written", () => {
  test.for([
    [
      "below a file",
      (bench: FaultBench) => {
        writeFileSync(join(bench.home, "file"), "");
        return join(bench.home, "file", "runs");
      },
    ],
    ["below /proc", () => "/proc/x/runs"],
    ["a device", () => "/dev/null"],
  ] as const)("%s is told before anything is measured", async ([, place], { bench, expect }) => {
    const engine = await bench.engine();
    const out = place(bench);
    const end = await bench.over(bench.bench("sweep", engine, [...SMALL, "--out", out]));
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toContain(`--out ${out}: `);
    expect(end.stderr).toContain("name a folder that can be written");
    expect(end.stderr).not.toContain("a bug");
    expect(end.stdout).toBe("");
  });

  test("because it is read-only is told, and so is a run in it", async ({
    bench,
    expect,
    skip,
  }) => {
    const engine = await bench.engine();
    const whole = await bench.kept(bench.bench("sweep", engine, SMALL));
    expect(whole.exitCode).toBe(0);
    if (process.getuid?.() === 0) {
      const bind = spawnSync("mount", ["--bind", bench.out, bench.out]);
      skip(bind.status !== 0, `no mount is permitted here: ${String(bind.stderr).trim()}`);
      bench.atClose(() => void spawnSync("umount", ["-l", bench.out]));
      spawnSync("mount", ["-o", "remount,ro,bind", bench.out]);
    } else {
      chmodSync(bench.out, 0o555);
      chmodSync(whole.folder, 0o555);
      bench.atClose(() => {
        chmodSync(bench.out, 0o755);
        chmodSync(whole.folder, 0o755);
      });
    }
    const before = readFileSync(join(whole.folder, "record.json"), "utf8");
    const another = await bench.over(bench.bench("sweep", engine, SMALL));
    expect(another.exitCode).toBe(2);
    expect(another.stderr).toMatch(/E(ROFS|ACCES).*name a folder that can be written/);
    const again = await bench.start(["rederive", whole.folder]).ended;
    expect(again.exitCode).toBe(1);
    expect(again.stderr).toMatch(/record\.json could not be written \(E(ROFS|ACCES)/);
    expect(again.stderr).not.toContain("a bug");
    const resumed = await bench.start(["sweep", "--resume", whole.folder]).ended;
    expect(resumed.exitCode).toBe(2);
    expect(resumed.stderr).not.toContain("a bug");
    expect(readFileSync(join(whole.folder, "record.json"), "utf8")).toBe(before);
  });
});

describe.concurrent("runs beside each other", () => {
  test("in one folder have a folder each", async ({ bench, expect }) => {
    const engine = await bench.engine();
    const runs = [1, 2, 3].map(() => bench.bench("sweep", engine, SMALL));
    const ends = await Promise.all(runs.map((run) => bench.over(run)));
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    const folders = readdirSync(bench.out).map((name) => join(bench.out, name));
    expect(folders).toHaveLength(3);
    for (const folder of folders) {
      const { cells, damage } = recordIn(folder);
      expect(damage).toEqual([]);
      for (const { counts } of cells) expect(counts).toMatchObject({ ok: 4, failed: 0 });
      await expectSameAgain(folder);
    }
    for (const { stderr } of ends)
      expect(folders.filter((folder) => stderr.includes(`kept in ${folder}\n`))).toHaveLength(1);
  });
});

describe.concurrent("a wall clock that is set in mid-run", () => {
  test.for([3_600_000, -86_400_000])(
    "by %d ms changes no figure",
    async (stepMs, { bench, expect }) => {
      const engine = await bench.engine();
      const clock = join(bench.home, "clock.mjs");
      const told = join(bench.home, "stepped");
      writeFileSync(clock, clockThatSteps(stepMs, told));
      const flags = [...BRIEF_RAIL, "--concurrency", "1,2", "--requests", "4"];
      const shape = ["--input-tokens", "16", "--output-tokens", "150"];
      const run = bench.bench("sweep", engine, [...flags, ...shape], {
        NODE_OPTIONS: `--import ${pathToFileURL(clock).href}`,
      });
      await bench.event((event) => event.event === "phase" && event.phase === "window");
      writeFileSync(`${told}.now`, "");
      const { exitCode, record, folder } = await bench.kept(run);
      expect(exitCode).toBe(0);
      expect(existsSync(told)).toBe(true);
      for (const { startMs, endMs, e2eMs, counts, tokens, metrics } of record.cells) {
        expect(counts).toMatchObject({ ok: 4, failed: 0 });
        const windowMs = endMs! - startMs!;
        expect(windowMs).toBeGreaterThan(0);
        expect(windowMs).toBeLessThan(60_000);
        expect(e2eMs!.max).toBeLessThanOrEqual(windowMs);
        expect(metrics["output_tok_s"]! * (windowMs / 1000)).toBeCloseTo(tokens!.output, 6);
        expect(metrics["sim_rail_energy_j"]).toBeGreaterThan(0);
      }
      await expectSameAgain(folder);
    },
  );
});

/** A module that sets the clock of its process when a file appears, as `date -s` does for all. */
function clockThatSteps(stepMs: number, told: string): string {
  return `
import { existsSync, writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
const RealDate = Date;
let step = 0;
globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + step);
    else super(...args);
  }
  static now() {
    return RealDate.now() + step;
  }
};
setInterval(() => {
  if (step !== 0 || !existsSync(${JSON.stringify(`${told}.now`)})) return;
  step = ${stepMs};
  if (isMainThread && process.argv[2] === "sweep") writeFileSync(${JSON.stringify(told)}, "");
}, 20).unref();
`;
}
