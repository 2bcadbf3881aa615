import { describe, expect, test } from "vitest";
import type { Fault, Scenario } from "../../../src/engine/nvidia-smi/scenario.ts";
import { ask, endsWithin, gpu, type Loop, loopOver, query, scenarioOf } from "./child.ts";

const FIELDS = "index,power.draw";
const ROW_0 = "0, 100.00";
const ROW_1 = "1, 101.00";

function faulty(fault: Fault, more: Partial<Scenario> = {}): Scenario {
  return scenarioOf([gpu(0), gpu(1)], { faults: [fault], ...more });
}

async function firstLines(fault: Fault, count: number): Promise<string[]> {
  const loop = await loopOver(faulty(fault), FIELDS);
  return (await loop.lines(count)).slice(0, count);
}

/** Waits long enough for many ticks of 10 ms, and says whether anything came. */
async function isSilent(loop: Loop): Promise<boolean> {
  const before = loop.text();
  const isGone = await endsWithin(loop, 200);
  return !isGone && loop.text() === before;
}

describe("faults of rows", () => {
  test("a lost device says so in every cell, its neighbour goes on, for some ticks", async () => {
    const fault: Fault = { kind: "lose-device", index: 1, afterTicks: 1, forTicks: 1 };
    const lost = "[GPU is lost], [GPU is lost]";
    expect(await firstLines(fault, 6)).toEqual([ROW_0, ROW_1, ROW_0, lost, ROW_0, ROW_1]);
  });

  test("a dropped device has no row", async () => {
    const fault: Fault = { kind: "drop-device", index: 0, afterTicks: 1 };
    expect(await firstLines(fault, 5)).toEqual([ROW_0, ROW_1, ROW_1, ROW_1, ROW_1]);
  });

  test("a frozen device shows one value of watts, and the rest goes on", async () => {
    const power = { kind: "clock", originNs: "0" } as const;
    const scenario = scenarioOf([gpu(0, { power }), gpu(1, { power })], {
      faults: [{ kind: "freeze", index: 0, afterTicks: 2 }],
    });
    const loop = await loopOver(scenario, `power.draw,index,power.draw.instant,timestamp`);
    const rows = (await loop.lines(20)).slice(0, 20).map((line) => line.split(", "));
    const of = (index: string, column: number) =>
      new Set(rows.filter((row) => row[1] === index).map((row) => row[column]));
    expect(of("0", 0).size).toBe(2);
    expect(of("0", 2).size).toBe(2);
    expect(of("1", 0).size).toBe(10);
    expect(of("0", 3).size).toBeGreaterThan(5);
  });

  test("other columns: one cell more in each row", async () => {
    const fault: Fault = { kind: "other-columns", afterTicks: 1, forTicks: 1 };
    const more = [`${ROW_0}, 0`, `${ROW_1}, 0`];
    expect(await firstLines(fault, 6)).toEqual([ROW_0, ROW_1, ...more, ROW_0, ROW_1]);
  });

  test("rubbish comes behind the rows, or in their place", async () => {
    const fault: Fault = { kind: "rubbish", lines: ["ERR!", ""], afterTicks: 0, forTicks: 1 };
    expect(await firstLines(fault, 5)).toEqual([ROW_0, ROW_1, "ERR!", "", ROW_0]);
    const instead = { ...fault, instead: true };
    expect(await firstLines(instead, 3)).toEqual(["ERR!", "", ROW_0]);
  });

  test("glue: half of the former row and the new one on one line", async () => {
    const fault: Fault = { kind: "glue", afterTicks: 1, forTicks: 1 };
    expect(await firstLines(fault, 6)).toEqual([
      ROW_0,
      ROW_1,
      `1, 1${ROW_0}`,
      `0, 1${ROW_1}`,
      ROW_0,
      ROW_1,
    ]);
  });
});

describe("faults of the stream", () => {
  test("hang from the start: silent, alive, and one-shot queries answer", async () => {
    const scenario = faulty({ kind: "hang", afterTicks: 0 });
    const loop = await loopOver(scenario, FIELDS);
    expect(await isSilent(loop)).toBe(true);
    expect(loop.text()).toBe("");
    expect((await query(scenario, "index")).stdout).toBe("0\n1\n");
    loop.child.kill("SIGTERM");
    expect((await loop.gone).signal).toBe("SIGTERM");
  });

  test("a hang in mid-run that ignores SIGTERM wants SIGKILL", async () => {
    const scenario = faulty({ kind: "hang", afterTicks: 2, ignoreSigterm: true });
    const loop = await loopOver(scenario, FIELDS);
    await loop.lines(4);
    expect(await isSilent(loop)).toBe(true);
    loop.child.kill("SIGTERM");
    expect(await isSilent(loop)).toBe(true);
    loop.child.kill("SIGKILL");
    expect((await loop.gone).signal).toBe("SIGKILL");
  });

  test("a hang that nobody waits for any more ends with its scenario", async () => {
    const loop = await loopOver(faulty({ kind: "hang", afterTicks: 1 }), FIELDS);
    await loop.lines(2);
    expect(await isSilent(loop)).toBe(true);
    await loop.standIn.remove();
    expect((await loop.gone).exitCode).toBe(0);
  });

  test("a hang may end", async () => {
    const fault: Fault = { kind: "hang", afterTicks: 1, forTicks: 3 };
    expect(await firstLines(fault, 4)).toEqual([ROW_0, ROW_1, ROW_0, ROW_1]);
  });

  test("a hang of one-shot queries, when asked for", async () => {
    const scenario = faulty({ kind: "hang", afterTicks: 0, forTicks: 2, oneShotToo: true });
    expect((await query(scenario, "index")).stdout).toBe("0\n1\n");
    const loop = await loopOver(faulty({ kind: "hang", afterTicks: 0, oneShotToo: true }), "index");
    expect(await isSilent(loop)).toBe(true);
  });

  test("die: so many ticks, last words on both streams, exit code", async () => {
    const words = { stdout: "Unable to determine\n", stderr: "bye\n" };
    const scenario = faulty({ kind: "die", afterTicks: 2, exitCode: 15, ...words });
    const answer = await query(scenario, FIELDS, "-lms", "10");
    const twoTicks = `${ROW_0}\n${ROW_1}\n${ROW_0}\n${ROW_1}\n`;
    expect(answer).toEqual({ stdout: twoTicks + words.stdout, stderr: "bye\n", exitCode: 15 });
    expect((await ask(scenario, "-L")).exitCode).toBe(0);
  });

  test("half a line without its end, then nothing", async () => {
    const loop = await loopOver(faulty({ kind: "half-line", afterTicks: 1 }), FIELDS);
    await loop.lines(3);
    expect(await isSilent(loop)).toBe(true);
    expect(loop.text()).toBe(`${ROW_0}\n${ROW_1}\n${ROW_0}\n1, 1`);
  });

  test("bunch: ticks are held back and come in one piece", async () => {
    const scenario = faulty({ kind: "bunch", afterTicks: 1, ticks: 3 });
    const loop = await loopOver(scenario, FIELDS);
    const pieces: string[] = [];
    loop.child.stdout!.on("data", (piece) => pieces.push(String(piece)));
    await loop.lines(14);
    // A busy reader may get two writes in one piece, but no part of a bunch.
    let count = 0;
    for (const piece of pieces) {
      count += piece.split("\n").length - 1;
      expect([2, 8, 14, 20, 26]).toContain(count);
    }
  });

  test("pause: nothing for a while, then it goes on", async () => {
    const loop = await loopOver(faulty({ kind: "pause", afterTicks: 2, pauseMs: 1500 }), FIELDS);
    await loop.lines(4);
    expect(await isSilent(loop)).toBe(true);
    expect((await loop.lines(8)).slice(0, 8).every((line) => /^[01], 10[01]\.00$/.test(line))).toBe(
      true,
    );
  });

  test("endless line: bytes at a bounded rate and never an end", async () => {
    const fault: Fault = { kind: "endless-line", afterTicks: 1, bytesPerS: 100_000 };
    const loop = await loopOver(faulty(fault), FIELDS);
    await loop.lines(2);
    const startMs = performance.now();
    const isGone = await endsWithin(loop, 400);
    const tail = loop.text().split("\n").at(-1)!;
    expect(isGone).toBe(false);
    expect(tail.length).toBeGreaterThan(2000);
    // What was already on its way when the clock started is at most one pipe full.
    expect(tail.length).toBeLessThan((performance.now() - startMs) * 100 + 65_536);
    loop.child.stdout!.destroy();
    expect(await endsWithin(loop, 2000)).toBe(true);
  });
});
