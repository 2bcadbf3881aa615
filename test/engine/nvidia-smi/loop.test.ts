import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { endsWithin, gpu, loopOver, scenarioOf, startLoop } from "./child.ts";

const POWER = "power.draw.average";

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "joulemark-loop-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

interface LogEntry {
  readonly atNs: string;
  readonly line: string;
  readonly isLoop: boolean;
}

function readLog(path: string): LogEntry[] {
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as LogEntry);
}

describe("the loop", () => {
  test("prints the header once and then tick after tick, device by device", async () => {
    const scenario = scenarioOf([gpu(0), gpu(1)]);
    const argv = [`--query-gpu=index,${POWER}`, "--format=csv", "--loop-ms=10"];
    const lines = await (await startLoop(scenario, ...argv)).lines(7);
    expect(lines.slice(0, 7)).toEqual([
      `index, ${POWER} [W]`,
      ...["0, 100.00 W", "1, 101.00 W", "0, 100.00 W", "1, 101.00 W", "0, 100.00 W", "1, 101.00 W"],
    ]);
  });

  test("is never faster than asked plus the least jitter, by its own log", async () => {
    const logFile = join(folder(), "log.jsonl");
    const scenario = scenarioOf([gpu(0)], { timing: { jitterMs: [5, 15] }, logFile });
    const loop = await loopOver(scenario, "index");
    await loop.lines(20);
    const atMs = readLog(logFile).map(({ atNs }) => Number(BigInt(atNs)) / 1e6);
    const gapsMs = atMs.slice(1).map((at, i) => at - atMs[i]!);
    // Timers round to whole milliseconds.
    expect(Math.min(...gapsMs)).toBeGreaterThan(10 + 5 - 1.5);
  });

  test("logs every line it printed", async () => {
    const logFile = join(folder(), "log.jsonl");
    const scenario = scenarioOf([gpu(0), gpu(1)], { logFile });
    // A line is logged after it is written: the last tick that was seen may not be in the log yet.
    const lines = await (await loopOver(scenario, `index,${POWER}`)).lines(8);
    const logged = readLog(logFile);
    expect(logged.slice(0, 6).map(({ line }) => line)).toEqual(lines.slice(0, 6));
    expect(logged.every(({ isLoop }) => isLoop)).toBe(true);
  });

  test("writes rows as they are read when told not to wait for the tick's end", async () => {
    const logFile = join(folder(), "log.jsonl");
    const timing = { jitterMs: [0, 0], perDeviceMs: 20, perTickFlush: false } as const;
    const loop = await loopOver(scenarioOf([gpu(0), gpu(1)], { timing, logFile }), "index");
    await loop.lines(6);
    const [first, second] = readLog(logFile);
    expect(Number(BigInt(second!.atNs) - BigInt(first!.atNs)) / 1e6).toBeGreaterThan(18);
  });

  test("writes a tick at once by default, also when its rows are read apart", async () => {
    const logFile = join(folder(), "log.jsonl");
    const timing = { jitterMs: [0, 0], perDeviceMs: 20 } as const;
    const loop = await loopOver(scenarioOf([gpu(0), gpu(1)], { timing, logFile }), "index");
    await loop.lines(6);
    const [first, second, third] = readLog(logFile);
    expect(second!.atNs).toBe(first!.atNs);
    expect(third!.atNs).not.toBe(first!.atNs);
  });

  test("CRLF on request", async () => {
    const loop = await loopOver(scenarioOf([gpu(0)], { eol: "crlf" }), "index");
    expect((await loop.lines(2)).slice(0, 2)).toEqual(["0\r", "0\r"]);
  });

  test("dies when its reader is gone, within two periods", async () => {
    const loop = await loopOver(scenarioOf([gpu(0)]), "index", "-lms", "250");
    await loop.lines(1);
    loop.child.stdout!.destroy();
    // Two periods, and what a busy machine may add.
    expect(await endsWithin(loop, 500 + 1000)).toBe(true);
    expect((await loop.gone).signal).toBeNull();
  });

  test.each(["SIGTERM", "SIGINT"] as const)("dies of %s", async (signal) => {
    const loop = await loopOver(scenarioOf([gpu(0)]), "index");
    await loop.lines(1);
    loop.child.kill(signal);
    expect(await loop.gone).toEqual({ exitCode: null, signal });
  });

  test("stays when told to ignore SIGTERM", async () => {
    const loop = await loopOver(scenarioOf([gpu(0)], { ignoreSigterm: true }), "index");
    const before = await loop.lines(1);
    loop.child.kill("SIGTERM");
    await loop.lines(before.length + 5);
    loop.child.kill("SIGKILL");
    expect((await loop.gone).signal).toBe("SIGKILL");
  });
});

describe("power", () => {
  test("the average follows a step slower than the instant reading, and both arrive", async () => {
    const steps = [
      { atMs: 0, powerW: 100 },
      // Late enough for a program that a busy machine starts slowly.
      { atMs: 1500, powerW: 400 },
    ];
    const device = gpu(0, { power: { kind: "steps", steps }, averagingMs: 600 });
    const loop = await loopOver(scenarioOf([device]), `${POWER},power.draw.instant`);
    const rows: [number, number][] = [];
    for (let count = 1; (rows.at(-1)?.[0] ?? 0) < 400; count++) {
      const line = (await loop.lines(count))[count - 1]!;
      rows.push(line.split(", ").map(Number) as [number, number]);
    }
    const firstAverage = rows.findIndex(([averageW]) => averageW === 400);
    const firstInstant = rows.findIndex(([, instantW]) => instantW === 400);
    expect(rows[0]).toEqual([100, 100]);
    expect(firstInstant).toBeLessThan(firstAverage);
    // Renewed every 100 ms, a 600 ms window that fills with 400 W climbs in steps of 50 W.
    expect([150, 200, 250, 300, 350, 400]).toEqual(
      expect.arrayContaining([...new Set(rows.map(([averageW]) => averageW))].slice(1)),
    );
  });

  test("a steps file is read on while it grows", async () => {
    const path = join(folder(), "steps.jsonl");
    const device = gpu(0, { power: { kind: "steps-file", path, idleW: 60 }, averagingMs: 100 });
    const loop = await loopOver(scenarioOf([device]), POWER);
    const until = async (text: string) => {
      for (let count = 1; ; count++) {
        if ((await loop.lines(count))[count - 1] === text) return;
      }
    };
    await until("60.00");
    const step = `{"atNs":"${process.hrtime.bigint()}","powerW":222.5}\n`;
    appendFileSync(path, step.slice(0, 9));
    await loop.lines(loop.text().split("\n").length + 2);
    appendFileSync(path, step.slice(9));
    await until("222.50");
    appendFileSync(path, `{"atNs":"${process.hrtime.bigint()}","powerW":70}\n`);
    await until("70.00");
  });

  test("a line of a steps file that is no step ends the program, loudly", async () => {
    const path = join(folder(), "steps.jsonl");
    appendFileSync(path, '{"atNs":"1","powerW":null}\n');
    const device = gpu(0, { power: { kind: "steps-file", path, idleW: 60 } });
    const loop = await loopOver(scenarioOf([device]), POWER);
    expect(await loop.gone).toEqual({ exitCode: 2, signal: null });
  });

  test("noise moves the last digits and stays between its bounds", async () => {
    const steps = [{ atMs: 0, powerW: 300 }];
    const power = { kind: "steps", steps, noiseW: 0.5 } as const;
    const loop = await loopOver(scenarioOf([gpu(0, { power, updateMs: 10 })]), POWER);
    const watts = (await loop.lines(20)).map(Number);
    expect(new Set(watts).size).toBeGreaterThan(5);
    expect(Math.min(...watts)).toBeGreaterThanOrEqual(299.5);
    expect(Math.max(...watts)).toBeLessThanOrEqual(300.5);
  });

  test("a clock is taken at the write, also where rows are read long before", async () => {
    const originNs = process.hrtime.bigint();
    const logFile = join(folder(), "log.jsonl");
    const power = { kind: "clock", originNs: String(originNs) } as const;
    const timing = { jitterMs: [0, 0], perDeviceMs: 100 } as const;
    const scenario = scenarioOf([gpu(0, { power }), gpu(1)], { timing, logFile });
    await (await loopOver(scenario, `index,${POWER}`)).lines(6);
    for (const { atNs, line } of readLog(logFile).filter((entry) => entry.line.startsWith("0"))) {
      const printedMs = line.split(", ")[1]!;
      expect(printedMs).toMatch(/^\d+\.\d{6}$/);
      const writtenMs = Number(BigInt(atNs) - originNs) / 1e6;
      expect(writtenMs - Number(printedMs)).toBeGreaterThanOrEqual(0);
      expect(writtenMs - Number(printedMs)).toBeLessThan(50);
    }
  });
});
