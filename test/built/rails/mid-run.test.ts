import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { nowMs, openNvidiaSmi } from "joulemark";
import { describe, expect, test } from "vitest";
import type { Scenario } from "../../../src/engine/nvidia-smi/scenario.ts";
import { eventually, isAlive } from "../../support/eventually.ts";
import { cleanups, measured, openRail, reasonsOf } from "../../support/open-rail.ts";
import { box, gpu, steady } from "../../support/scenarios.ts";
import { installStandIn } from "../../support/stand-in.ts";

describe("a rail that fails in mid-run", () => {
  const cases: readonly [string, Scenario, string[]][] = [
    [
      "the child dies",
      box(1, { faults: [{ kind: "die", afterTicks: 6, exitCode: 1 }] }),
      ["rail_stalled"],
    ],
    ["the child hangs", box(1, { faults: [{ kind: "hang", afterTicks: 6 }] }), ["rail_stalled"]],
    [
      "half a line, then silence",
      box(1, { faults: [{ kind: "half-line", afterTicks: 6 }] }),
      ["rail_stalled"],
    ],
    [
      "every GPU is lost",
      box(1, { faults: [{ kind: "lose-device", index: 0, afterTicks: 6 }] }),
      ["rail_stalled"],
    ],
    [
      "one GPU of two is lost",
      box(2, { faults: [{ kind: "lose-device", index: 1, afterTicks: 6 }] }),
      ["rail_stalled"],
    ],
    [
      "one GPU of two is not printed any more",
      box(2, { faults: [{ kind: "drop-device", index: 1, afterTicks: 6 }] }),
      ["rail_stalled"],
    ],
  ];

  test.each(cases)(
    "%s: noticed at once, and no window after it has a figure",
    async (_why, scenario, reasons) => {
      const { sampler, samples } = await openRail(scenario);
      const startMs = nowMs();
      const window = await sampler.window(startMs, startMs + 60_000);
      expect(window.state).toBe("refused");
      expect(reasonsOf(window)).toEqual(expect.arrayContaining(reasons));
      // Long before the window's end: three ticks of 50 ms and what the machine adds to them.
      expect(nowMs() - startMs).toBeLessThan(10_000);
      const lastMs = Math.max(...samples().map(({ atMs }) => atMs));
      const early = await sampler.window(startMs, startMs + (lastMs - startMs) / 2);
      expect(early.state).toBe("measured");
    },
  );

  test("a pause refuses the window that it falls into, and the next one is whole again", async () => {
    const { sampler } = await openRail(
      box(1, { faults: [{ kind: "pause", afterTicks: 8, pauseMs: 1500 }] }),
    );
    const startMs = nowMs();
    await eventually("the pause is over", () => (sampler.latest()[0]?.atMs ?? 0) > startMs + 1500);
    const across = await sampler.window(startMs, nowMs());
    expect(reasonsOf(across)).toEqual(["rail_gap"]);
    const nextMs = nowMs();
    measured(await sampler.window(nextMs, nextMs + 300));
  });

  test("rubbish, glued lines and other columns are rejected and counted, the rest stands", async () => {
    const faults = [
      {
        kind: "rubbish",
        afterTicks: 2,
        forTicks: 1,
        lines: ["", "ERR!", "62", "power.draw.average [W], x"],
      },
      { kind: "glue", afterTicks: 4, forTicks: 1 },
      { kind: "other-columns", afterTicks: 6, forTicks: 1 },
    ] as const;
    const { sampler, samples } = await openRail(box(1, { faults }));
    await eventually("ten readings", () => samples().length >= 10);
    const cost = await sampler.stop();
    // ERR!, 62, the glued line and the long one; the blank and the header are no faults.
    expect(cost.rejectedLines).toBe(4);
    for (const { powerW } of samples()) expect(Math.abs(powerW - 100)).toBeLessThan(1);
  });

  test("Windows line ends are fine", async () => {
    const { sampler } = await openRail(box(1, { eol: "crlf" }));
    const startMs = nowMs();
    expect(measured(await sampler.window(startMs, startMs + 1500)).swPowerCapFrac).toBe(0);
    expect((await sampler.stop()).rejectedLines).toBe(0);
  });

  test("a sensor that stands still for ten seconds under work is refused", async () => {
    const faults = [{ kind: "freeze", index: 0, afterTicks: 2 }] as const;
    const { sampler } = await openRail(box(1, { faults }), { periodMs: 100 });
    const startMs = nowMs();
    expect(reasonsOf(await sampler.window(startMs, startMs + 11_500))).toEqual(["rail_frozen"]);
  });

  test("a child that ignores SIGTERM is killed all the same", async () => {
    const { sampler, pid } = await openRail(box(1, { ignoreSigterm: true }));
    await sampler.stop();
    await eventually("the child is gone", () => !isAlive(pid()));
  });

  test("a power limit that is reached shows as the cap", async () => {
    const { sampler } = await openRail({
      devices: [gpu(0, { power: steady(650), powerLimitW: 600 })],
    });
    const startMs = nowMs();
    expect(measured(await sampler.window(startMs, startMs + 300)).swPowerCapFrac).toBe(1);
  });

  test("a wrapper that does not exec leaves no orphan, though its child ignores SIGTERM and is silent", async () => {
    const standIn = await installStandIn(
      box(1, { ignoreSigterm: true, faults: [{ kind: "hang", afterTicks: 4 }] }),
    );
    cleanups.push(() => standIn.remove());
    const path = join(standIn.dir, "wrapper");
    await writeFile(
      path,
      `#!/bin/sh\n${standIn.path} "$@" &\necho $! >>${standIn.dir}/pids\nwait\n`,
      { mode: 0o755 },
    );
    const sampler = await openNvidiaSmi({ path, periodMs: 50 });
    await sampler.window(nowMs(), nowMs() + 10_000);
    await sampler.stop();
    const pids = readFileSync(join(standIn.dir, "pids"), "utf8").trim().split("\n").map(Number);
    for (const pid of pids) await eventually("it is gone", () => !isAlive(pid));
  });
});
