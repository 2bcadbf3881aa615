import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { powerProfile } from "../power/power-profile.ts";
import { engineRail } from "./engine-rail.ts";

/** When rows are printed, on the machine's clock: the program's own log, not this busy process. */
async function printedMs(options: Parameters<typeof engineRail>[0], rows: number) {
  const rail = await engineRail({ ...options, logFile: "log.jsonl" });
  const args = ["--query-gpu=index,power.draw", "--format=csv,noheader", "-lms", "100"];
  const child = spawn(rail.path, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdout.resume();
  const log = join(rail.dir, "log.jsonl");
  const logged = (): string[] =>
    existsSync(log) ? readFileSync(log, "utf8").split("\n").slice(0, -1) : [];
  await eventually("rows came", () => logged().length >= rows);
  child.kill("SIGKILL");
  const lines = logged();
  return lines
    .map((line) => JSON.parse(line) as { atNs: string; line: string; isLoop: boolean })
    .filter(({ isLoop }) => isLoop)
    .map(({ atNs, line }) => ({ index: Number(line[0]), atMs: Number(BigInt(atNs)) / 1e6 }))
    .slice(0, rows);
}

describe("the rows of one tick", () => {
  const power = powerProfile({ gpuCount: 4 });

  test("are 15 ms apart, as on real boxes", async () => {
    const rows = await printedMs({ power }, 12);
    expect(rows.map(({ index }) => index)).toEqual([0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]);
    const gapsMs = rows.slice(1).flatMap(({ index, atMs }, i) => {
      return index === 0 ? [] : [atMs - rows[i]!.atMs];
    });
    // Timers may be a millisecond early, and as late as the machine is busy.
    for (const gapMs of gapsMs) expect(gapMs).toBeGreaterThan(13);
    expect(gapsMs.toSorted((a, b) => a - b)[0]).toBeLessThan(30);
  });

  test("come together where the timing says so, and one GPU waits for no other", async () => {
    const rows = await printedMs({ power, timing: { perDeviceMs: 0, perTickFlush: true } }, 8);
    const spreadsMs = [0, 4].map((first) => rows[first + 3]!.atMs - rows[first]!.atMs);
    expect(Math.min(...spreadsMs)).toBeLessThan(13);
  });
});
