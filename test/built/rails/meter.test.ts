import { spawn } from "node:child_process";
import { once } from "node:events";
import { EnergyMeter, type MeterOptions, nowMs } from "joulemark";
import { describe, expect, test } from "vitest";
import type { Scenario } from "../../../src/engine/nvidia-smi/scenario.ts";
import type { TenantLoad } from "../../../src/engine/power/tenant.ts";
import { eventually, isAlive } from "../../support/eventually.ts";
import { cleanups, measured, reasonsOf } from "../../support/open-rail.ts";
import { box, gpu } from "../../support/scenarios.ts";
import { installStandIn } from "../../support/stand-in.ts";

const HERE = "http://127.0.0.1:9/v1";

async function meterOn(scenario: Scenario, options: MeterOptions = {}): Promise<EnergyMeter> {
  const standIn = await installStandIn(scenario);
  cleanups.push(() => standIn.remove());
  const meter = new EnergyMeter({
    nvidiaSmiPath: standIn.path,
    periodMs: 50,
    settleMs: 0,
    idleMs: 400,
    ...options,
  });
  cleanups.push(async () => meter.stop());
  return meter;
}

/** A starved machine leaves gaps in a baseline, which say nothing of the GPU: up to three meters. */
async function readWithoutGap(make: () => Promise<EnergyMeter>): Promise<EnergyMeter> {
  for (let attempt = 1; ; attempt++) {
    const meter = await make();
    await meter.start(HERE);
    const hasGap = meter.idleReasons.some(
      ({ reason, detail }) => reason === "idle_absent" && detail.includes("no reading for"),
    );
    if (!hasGap || attempt === 3) return meter;
    await meter.stop();
  }
}

/** A process of its own that listens, until the test ends. */
async function listener(): Promise<{ readonly pid: number; readonly url: string }> {
  const script = `require("http").createServer().listen(0, "127.0.0.1", function () { console.log(this.address().port) })`;
  const server = spawn(process.execPath, ["-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  cleanups.push(async () => server.kill());
  const [port] = (await once(server.stdout.setEncoding("utf8"), "data")) as [string];
  return { pid: server.pid!, url: `http://127.0.0.1:${port.trim()}/v1` };
}

describe("EnergyMeter", () => {
  test("says which rail this is and what is not in it, then the baseline; then windows; then its cost", async () => {
    const meter = await meterOn(box(1));
    const lines = await meter.start(HERE);
    expect(lines.map(({ level }) => level)).toEqual(["info", "warn", "info"]);
    expect(lines[0]!.text).toMatch(/^GPU rail: nvidia-smi power\.draw\.average .* Not in it: CPU/);
    expect(lines[1]!.text).toMatch(/^no quiet time before windows .*\(--no-settle\).*wider/);
    expect(meter.warnings).toEqual([lines[1]!.text]);
    expect(lines[2]!.text).toMatch(/^idle (99|100)\.\d W over 0\.4 s/);
    const startMs = nowMs();
    const window = measured(await meter.window(startMs, startMs + 400));
    expect(Math.abs(window.meanPowerW - meter.idle!.meanPowerW)).toBeLessThan(1);
    expect(meter.metrics()).not.toHaveProperty("gpu_rail_sampler_wall_s");
    expect((await meter.stop())?.text).toMatch(/^sampler: .*readings/);
    expect(meter.metrics()).toMatchObject({
      gpu_rail_idle_power_w: expect.closeTo(100, 0),
      gpu_rail_sample_period_ms: 50,
      gpu_rail_sampler_wall_s: expect.any(Number),
    });
  });

  test("a target on another machine is one line, and no sampler", async () => {
    const meter = await meterOn(box(1));
    const lines = await meter.start("http://192.0.2.7:8000/v1");
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: "info" });
    expect(meter.facts).toBeUndefined();
    expect(reasonsOf(await meter.window(0, 1000))).toEqual(["rail_not_local"]);
    expect(meter.windowNow(0, 1000)).toBeUndefined();
    expect(meter.metrics()).toEqual({});
    expect(await meter.stop()).toBeUndefined();
  });

  test("that a target is here, or is not, can be said by hand", async () => {
    const here = await meterOn(box(1), { isLocal: true });
    await here.start("http://192.0.2.7:8000/v1");
    expect(here.facts?.source).toBe("nvidia-smi");
    const away = await meterOn(box(1), { isLocal: false });
    await away.start(HERE);
    expect(reasonsOf(await away.window(0, 1000))).toEqual(["rail_not_local"]);
  });

  test("a target whose place is not known is warned of", async () => {
    const meter = await meterOn(box(1));
    const lines = await meter.start("http://no-such-host.invalid/v1");
    expect(lines[0]).toMatchObject({
      level: "warn",
      text: expect.stringContaining("--rail-local yes"),
    });
  });

  test("a rail that cannot be read is one warning, and the run goes on without", async () => {
    const meter = new EnergyMeter({ nvidiaSmiPath: "/nowhere/nvidia-smi" });
    const lines = await meter.start(HERE);
    expect(lines).toEqual([
      { level: "warn", text: expect.stringContaining("/nowhere/nvidia-smi was not found") },
    ]);
    expect(reasonsOf(await meter.window(0, 1000))).toEqual(["rail_unreadable"]);
    expect(await meter.stop()).toBeUndefined();
  });

  test("before the start there is nothing, and a stop is harmless", async () => {
    const meter = new EnergyMeter();
    expect(await meter.stop()).toBeUndefined();
    expect(reasonsOf(await meter.window(0, 1000))).toEqual(["rail_unreadable"]);
  });

  test("a baseline that is not quiet is none", async () => {
    const steps = Array.from({ length: 40 }, (_, i) => ({
      atMs: i * 200,
      powerW: i % 2 ? 300 : 100,
    }));
    const jumpy = gpu(0, { power: { kind: "steps", steps }, averagingMs: 100, cells: {} });
    const meter = await meterOn({ devices: [jumpy] }, { idleMs: 900 });
    const lines = await meter.start(HERE);
    expect(lines.at(-1)).toMatchObject({
      level: "warn",
      text: expect.stringContaining("the baseline moved from"),
    });
    expect(meter.idle).toBeUndefined();
    expect(meter.idleReasons.map(({ reason }) => reason)).toEqual(["idle_not_quiet"]);
    expect(meter.metrics()).not.toHaveProperty("gpu_rail_idle_power_w");
  });

  // A starved machine can read a wave at the same phase each time.
  test("a neighbour's wave makes a baseline restless, its steady load does not show", {
    retry: 3,
  }, async () => {
    const shared = (load: TenantLoad) =>
      meterOn({ devices: [gpu(0, { averagingMs: 100, tenants: [{ load, originNs: "0" }] })] });
    const wave = await readWithoutGap(() =>
      shared({ kind: "square", lowW: 0, highW: 80, periodMs: 300, highMs: 150 }),
    );
    expect(wave.idleReasons.map(({ reason }) => reason)).toEqual(["idle_not_quiet"]);
    const level = await readWithoutGap(() => shared({ kind: "constant", powerW: 80 }));
    expect(level.idleReasons).toEqual([]);
    expect(level.idle!.meanPowerW).toBeGreaterThan(170);
  });

  test("a steady load that the driver lists is no idle, and its process is told", async () => {
    const { pid, url } = await listener();
    const shared = (powerW: number) =>
      meterOn({
        devices: [
          gpu(0, { tenants: [{ load: { kind: "constant", powerW }, originNs: "0", pid: 1 }] }),
        ],
        computeApps: [
          { gpuUuid: "GPU-00000000", pid },
          { gpuUuid: "GPU-00000000", pid: 1 },
        ],
      });
    const busy = await shared(80);
    const said = await busy.start(url);
    expect(busy.idleReasons.map(({ reason }) => reason)).toEqual(["idle_not_quiet"]);
    expect(said.at(-1)).toMatchObject({
      level: "warn",
      text: expect.stringMatching(/no idle baseline: another process worked .*pid 1\b/),
    });
    // A context alone is a warning, and the baseline stands.
    const silent = await shared(0);
    const warned = await silent.start(url);
    expect(silent.idle).toBeDefined();
    const warnings = warned.filter(({ level }) => level === "warn").map(({ text }) => text);
    expect(warnings.filter((text) => /\bpid\b/.test(text))).toEqual([
      expect.stringContaining("pid 1"),
    ]);
  });

  test("no baseline is taken when none is wanted", async () => {
    const meter = await meterOn(box(1), { idleMs: 0 });
    await meter.start(HERE);
    expect(meter.idleReasons.map(({ reason }) => reason)).toEqual(["idle_absent"]);
  });

  test("a start that is interrupted leaves no sampler", async () => {
    const meter = await meterOn(box(1), { idleMs: 60_000 });
    const stop = new AbortController();
    const starting = meter.start(HERE, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error("enough")), 800);
    await expect(starting).rejects.toThrow("enough");
    expect(meter.cost?.samples ?? 0).toBeGreaterThanOrEqual(0);
  });

  test("of four GPUs it reads the ones on which the target's process computes", async () => {
    const { pid, url } = await listener();
    const serving = box(4, {
      computeApps: [
        { gpuUuid: "GPU-00000001", pid },
        { gpuUuid: "GPU-00000003", pid },
        { gpuUuid: "GPU-00000002", pid: 1 },
      ],
    });
    const meter = await meterOn(serving);
    const lines = await meter.start(url);
    expect(meter.facts?.devices.map(({ index }) => index)).toEqual([1, 3]);
    expect(lines.map(({ text }) => text).join("\n")).toContain(`pid ${pid}`);

    const unknown = await meterOn(box(4));
    const said = await unknown.start(url);
    expect(unknown.facts?.devices).toHaveLength(4);
    expect(said.filter(({ level }) => level === "warn")[0]?.text).toMatch(
      /all 4 GPUs are counted.*--rail-devices/,
    );
  });

  test("who holds the only GPU is told where the server is not known, and only there", async () => {
    const { pid, url } = await listener();
    const toldOn = async (pids: readonly number[]) => {
      const computeApps = pids.map((one) => ({ gpuUuid: "GPU-00000000", pid: one }));
      const meter = await meterOn(box(1, { computeApps }), { idleMs: 0 });
      await meter.start(url);
      return meter.warnings.filter((text) => text.includes("is in the number"));
    };
    expect(await toldOn([1])).toEqual([
      expect.stringMatching(
        new RegExp(
          `^which process serves is not known .*pid ${pid} \\(.*pid 1 holds this GPU: what`,
        ),
      ),
    ]);
    expect(await toldOn([1, 2, 1])).toEqual([
      expect.stringMatching(/pid 1, 2 hold this GPU: what they take is in the number$/),
    ]);
    expect(await toldOn([])).toEqual([]);
    expect(await toldOn([pid])).toEqual([]);
  });

  test("a stop while it starts ends the start, and leaves no child", async () => {
    const pids: number[] = [];
    const meter = await meterOn(box(1), {
      idleMs: 60_000,
      onEvent: (event) => {
        if (event.kind === "started") pids.push(event.pid);
      },
    });
    const starting = meter.start(HERE);
    await eventually("the child is there", () => pids.length > 0);
    const [start] = await Promise.allSettled([starting, meter.stop()]);
    expect(start).toMatchObject({ status: "rejected", reason: { code: "stopped" } });
    await eventually("the child is gone", () => !isAlive(pids[0]!));
  });

  test("a second start is refused, and one after the stop as well", async () => {
    const meter = await meterOn(box(1), { idleMs: 0 });
    await meter.start(HERE);
    await expect(meter.start(HERE)).rejects.toMatchObject({ code: "bad_option" });
    await meter.stop();
    await expect(meter.start(HERE)).rejects.toMatchObject({ code: "bad_option" });
  });

  test.each<[string, MeterOptions]>([
    ["idleMs", { idleMs: Number.NaN }],
    ["idleMs", { idleMs: -5 }],
    ["settleMs", { settleMs: Number.NaN }],
    ["startTimeoutMs", { startTimeoutMs: Number.NaN }],
    ["periodMs", { periodMs: 0 }],
    ["nvidiaSmiPath", { nvidiaSmiPath: "" }],
    ["rail", { rail: "rapl" as "auto" }],
  ])("an option that cannot be is told, whatever it is: %s %j", async (_name, options) => {
    const meter = await meterOn(box(1), options);
    await expect(meter.start(HERE)).rejects.toMatchObject({
      code: "bad_option",
      message: expect.stringContaining("give"),
    });
  });

  test.each([
    [0, Number.NaN],
    [Number.NaN, 1],
    [0, Number.POSITIVE_INFINITY],
  ])("a window from %s to %s is refused at once, not waited for", async (startMs, endMs) => {
    const meter = await meterOn(box(1), { idleMs: 0 });
    await meter.start(HERE);
    await expect(meter.window(startMs, endMs)).rejects.toMatchObject({ code: "bad_option" });
  });
});
