import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { integrate, nowMs, openNvidiaSmi } from "joulemark";
import { describe, expect, test } from "vitest";
import { eventually, isAlive } from "../../support/eventually.ts";
import { cleanups, measured, openRail, reasonsOf } from "../../support/open-rail.ts";
import { box, gpu } from "../../support/scenarios.ts";
import { installStandIn } from "../../support/stand-in.ts";

describe("a rail that can be read", () => {
  test("gives the energy of a window, which its own readings confirm", async () => {
    const { sampler, samples } = await openRail(box(1));
    const startMs = nowMs();
    const window = measured(await sampler.window(startMs, startMs + 600));
    expect(window.energyJ).toBe(integrate(samples(), startMs, startMs + 600)?.energyJ);
    expect(window.meanPowerW).toBeGreaterThan(99);
    expect(window.meanPowerW).toBeLessThan(101);
    expect(window.samples).toBeGreaterThan(5);
  });

  test("asks for power, flags, index, uuid and the instant power, in one child", async () => {
    const { sampler, events, standIn } = await openRail(box(1, { logFile: "log.jsonl" }));
    expect(sampler.facts).toMatchObject({
      source: "nvidia-smi",
      head: "gpu_rail",
      driverVersion: "590.48.01",
      sensor: { averagingMs: 1000, updateMs: 100, kind: "average" },
      fields: [
        "power.draw.average",
        "clocks_event_reasons.sw_power_cap",
        "clocks_event_reasons.hw_power_brake_slowdown",
        "index",
        "uuid",
        "power.draw.instant",
      ],
    });
    await sampler.window(nowMs(), nowMs() + 300);
    expect(events.filter(({ kind }) => kind === "started")).toHaveLength(1);
    expect(readFileSync(join(standIn.dir, "log.jsonl"), "utf8")).toContain('"isLoop":true');
  });

  test("tells eight GPUs apart and adds them up", async () => {
    const { sampler } = await openRail(box(8, { timing: { perDeviceMs: 3, jitterMs: [0, 5] } }));
    const startMs = nowMs();
    const window = measured(await sampler.window(startMs, startMs + 800));
    const parts = Object.values(window.byDevice);
    expect(parts).toHaveLength(8);
    expect(window.energyJ).toBeCloseTo(
      parts.reduce((sum, { energyJ }) => sum + energyJ, 0),
      9,
    );
    expect(window.meanPowerW).toBeGreaterThan(3590);
    expect(window.meanPowerW).toBeLessThan(3610);
    for (const index of Array(8).keys())
      expect(
        Math.abs(window.byDevice[`GPU-0000000${index}`]!.meanPowerW - 100 * (index + 1)),
      ).toBeLessThan(1);
  });

  test.each([["2"], ["GPU-00000002"]])("reads the GPU %s alone when it is named", async (name) => {
    const { sampler, samples } = await openRail(box(4), { devices: [name] });
    await sampler.window(nowMs(), nowMs() + 200);
    expect(sampler.facts.devices.map(({ index }) => index)).toEqual([2]);
    expect(new Set(samples().map(({ device }) => device))).toEqual(new Set(["GPU-00000002"]));
  });

  test("a GPU that is not there is a wrong option, and the message lists those that are", async () => {
    const standIn = await installStandIn(box(2));
    cleanups.push(() => standIn.remove());
    await expect(openNvidiaSmi({ path: standIn.path, devices: ["7"] })).rejects.toMatchObject({
      code: "bad_option",
      message: expect.stringMatching(/no such GPU: 7; there are GPU 0.*GPU 1/),
    });
  });

  test("simulated devices write under the head of simulated rails", async () => {
    const { sampler } = await openRail({ devices: [gpu(0, { name: "SIMULATED GPU" })] });
    expect(sampler.facts.head).toBe("sim_rail");
  });

  test("tells its cost when it stops, and leaves nothing running", async () => {
    const { sampler, pid, samples } = await openRail(box(1));
    await sampler.window(nowMs(), nowMs() + 300);
    const cost = await sampler.stop();
    expect(cost.samples).toBe(samples().length);
    expect(cost.rejectedLines).toBe(0);
    expect(cost.wallS).toBeGreaterThan(0.3);
    if (process.platform === "linux") expect(cost.cpuS).toBeGreaterThan(0);
    expect(isAlive(pid())).toBe(false);
  });

  test("a window of the past can still be asked for after the stop, a later one is refused", async () => {
    const { sampler } = await openRail(box(1));
    const startMs = nowMs();
    const before = measured(await sampler.window(startMs, startMs + 400));
    await sampler.stop();
    const after = measured(await sampler.window(startMs, startMs + 400));
    expect(after.energyJ).toBe(before.energyJ);
    expect(reasonsOf(await sampler.window(startMs, nowMs() + 400))).toContain("rail_stalled");
  });

  test("the wait for a window ends with the signal", async () => {
    const { sampler } = await openRail(box(1));
    const reason = new Error("enough");
    const waiting = sampler.window(nowMs(), nowMs() + 60_000, { signal: AbortSignal.timeout(50) });
    await expect(waiting).rejects.toThrow();
    await expect(sampler.window(0, 1, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  test("windowNow is the integral of the readings so far", async () => {
    const { sampler } = await openRail(box(1));
    const startMs = nowMs();
    expect(sampler.windowNow(startMs + 1e6, startMs + 2e6)).toBeUndefined();
    await eventually("a reading came", () => sampler.windowNow(startMs, nowMs()) !== undefined);
    expect(sampler.windowNow(startMs, nowMs())?.meanPowerW).toBeGreaterThan(99);
  });

  test("a GPU that is not used has no say in the field that is read", async () => {
    const devices = [gpu(0), gpu(1, { cells: { "power.draw.average": "[N/A]" } })];
    const alone = await openRail({ devices }, { devices: ["0"] });
    expect(alone.sampler.facts.fields[0]).toBe("power.draw.average");
    const both = await openRail({ devices });
    expect(both.sampler.facts.fields[0]).toBe("power.draw.instant");
  });

  test("has a reading of every GPU when it opens, however far apart their rows come", async () => {
    const timing = { perDeviceMs: 30, perTickFlush: false, jitterMs: [0, 5] } as const;
    const { sampler } = await openRail(box(4, { timing }));
    expect(sampler.latest().map(({ device }) => device)).toHaveLength(4);
  });

  test("an abort at any moment of the opening rejects with its reason, and leaves nothing", async () => {
    const standIn = await installStandIn(box(1));
    cleanups.push(() => standIn.remove());
    for (const afterMs of [0, 60, 150, 250, 350, 450]) {
      const reason = new Error(`after ${afterMs} ms`);
      const stop = new AbortController();
      const pids: number[] = [];
      const opening = openNvidiaSmi({
        path: standIn.path,
        periodMs: 50,
        signal: stop.signal,
        onEvent: (event) => {
          if (event.kind === "started") pids.push(event.pid);
        },
      }).then((sampler) => sampler.stop());
      setTimeout(() => stop.abort(reason), afterMs);
      await opening.catch((error: unknown) => expect(error).toBe(reason));
      for (const pid of pids) await eventually("the child is gone", () => !isAlive(pid));
    }
  });

  test("a thread that the program starts has the same clock", async () => {
    const source = `const { parentPort } = require("node:worker_threads");
      import("joulemark").then(({ nowMs }) => parentPort.postMessage(nowMs()));`;
    const beforeMs = nowMs();
    const thread = new Worker(source, { eval: true });
    const [atMs] = (await once(thread, "message")) as [number];
    await thread.terminate();
    expect(atMs).toBeGreaterThan(beforeMs);
    expect(atMs).toBeLessThan(nowMs());
  });
});
