import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { judgeAveraging } from "../../src/energy/judge-averaging.ts";
import { measureAveraging } from "../../src/energy/measure-averaging.ts";
import type { PowerSample } from "../../src/energy/power-sample.ts";
import type { Sensor } from "../../src/energy/sensor.ts";

const FILE = "../cases/power/nvidia-smi-rtx3090-driver535-step-250ms.csv";

/** An RTX 3090 with driver 535: `.average` is the mean of a second. */
const RECORDED: readonly PowerSample[] = readFileSync(new URL(FILE, import.meta.url), "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => {
    const cells = line.split(", ");
    const [, h, m, s] = /(\d+):(\d+):([\d.]+)$/.exec(cells[0]!)!;
    const atMs = (Number(h) * 3600 + Number(m) * 60 + Number(s)) * 1000;
    return { atMs, powerW: Number(cells.at(-2)), instantW: Number(cells.at(-1)) };
  });

const at = (text: string): number => {
  const [h, m, s] = text.split(":").map(Number);
  return (h! * 3600 + m! * 60 + s!) * 1000;
};
const LOAD = { startMs: at("19:27:37.596"), endMs: at("19:27:43.524") };

const sensorOf = (averagingMs: number): Sensor => ({ averagingMs, updateMs: 100, kind: "average" });
const second: Sensor = { averagingMs: 100, updateMs: 100, kind: "instant" };

describe("the recorded step of a real card", () => {
  test.each([
    ["both columns", { sensor: sensorOf(1000), second }],
    ["one column", { sensor: sensorOf(1000) }],
  ])("%s show about a second", (_, declared) => {
    const samples = RECORDED.map((sample) => {
      if ("second" in declared) return sample;
      return { atMs: sample.atMs, powerW: sample.powerW };
    });
    const measured = measureAveraging(samples, declared, LOAD)!;
    expect(measured.averagingMs).toBeGreaterThan(850);
    expect(measured.averagingMs).toBeLessThan(1200);
    expect(judgeAveraging(measured, sensorOf(1000), 250)).not.toBe("differs");
  });

  test.each([100, 2000])("%d ms is found to be wrong", (declaredMs) => {
    const measured = measureAveraging(RECORDED, { sensor: sensorOf(declaredMs), second }, LOAD)!;
    expect(judgeAveraging(measured, sensorOf(declaredMs), 250)).toBe("differs");
  });

  test("the instant column itself is no mean of a second", () => {
    const samples = RECORDED.map(({ atMs, instantW }) => ({ atMs, powerW: instantW! }));
    const measured = measureAveraging(samples, { sensor: sensorOf(1000) }, LOAD)!;
    expect(judgeAveraging(measured, sensorOf(1000), 250)).toBe("differs");
    expect(measured.hiMs).toBeLessThan(700);
  });
});
