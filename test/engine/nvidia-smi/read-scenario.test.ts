import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readScenario, scenarioProblems } from "../../../src/engine/nvidia-smi/read-scenario.ts";
import type { Scenario } from "../../../src/engine/nvidia-smi/scenario.ts";
import { JoulemarkError } from "../../../src/errors.ts";
import { gpu, scenarioOf } from "./child.ts";

function written(content: string): string {
  const dir = mkdtempSync(join(tmpdir(), "joulemark-scenario-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, "scenario.json"), content);
  return join(dir, "scenario.json");
}

test("defaults are filled in, and relative paths start at the scenario's folder", () => {
  const scenario: Scenario = {
    devices: [gpu(0, { power: { kind: "steps-file", path: "steps.jsonl", idleW: 60 } })],
    logFile: "log.jsonl",
    playback: { file: "a.csv" },
    wholeOutput: { file: "/b.txt", exitCode: 9 },
  };
  const path = written(JSON.stringify(scenario));
  const folder = join(path, "..");
  expect(readScenario(path)).toMatchObject({
    driverVersion: "590.48.01",
    refusedFields: [],
    timing: { jitterMs: [5, 50], perDeviceMs: 0, firstTickMs: 0, seed: 1, perTickFlush: true },
    devices: [{ power: { path: join(folder, "steps.jsonl"), idleW: 60 } }],
    logFile: join(folder, "log.jsonl"),
    playback: { file: join(folder, "a.csv") },
    wholeOutput: { file: "/b.txt" },
  });
});

test("all problems are told at once, each with its path", () => {
  const path = written(
    JSON.stringify({
      devices: [
        { index: -1, name: "A", power: { kind: "sine" }, powerDrawMs: 0, quantumW: 0 },
        {
          index: 1,
          uuid: "GPU-1",
          name: "B",
          power: { kind: "constant", powerW: "300" },
          tenants: [{ load: { kind: "square" } }],
        },
      ],
      timing: { jitterMs: [50, 5] },
      faults: [{ kind: "die", afterTicks: 0 }, { kind: "hang" }],
      payback: {},
    }),
  );
  const problems = [
    "devices[0].index: -1 is not a whole number ≥ 0",
    'devices[0].power.kind: "sine" is not "constant" or "steps" or "steps-file" or "clock"',
    "devices[0].uuid: missing",
    "devices[0].powerDrawMs: 0 is not a number ≥ 0.001",
    "devices[0].quantumW: 0 is not a number ≥ 0.01",
    "devices[1].tenants[0].load.lowW: missing",
    "devices[1].tenants[0].originNs: missing",
    'devices[1].power.powerW: "300" is not a number ≥ 0',
    "timing.jitterMs: wants two numbers, the smaller first",
    "faults[0].exitCode: missing",
    "faults[1].afterTicks: missing",
    "payback: no such option",
  ];
  const read = () => readScenario(path);
  expect(read).toThrow(JoulemarkError);
  for (const problem of problems) expect(read).toThrow(problem);
});

test.each<{ problem: string; scenario: Scenario }>([
  {
    problem: "devices: two have the same index",
    scenario: scenarioOf([gpu(0), gpu(0, { uuid: "GPU-x" })]),
  },
  {
    problem: "devices: two have the same uuid",
    scenario: scenarioOf([gpu(0), gpu(1, { uuid: "GPU-0" })]),
  },
  {
    problem: "faults[0].index: there is no device 3",
    scenario: scenarioOf([gpu(0)], { faults: [{ kind: "freeze", afterTicks: 0, index: 3 }] }),
  },
  {
    problem: 'devices[0].cells: "power.drawn" is no field',
    scenario: scenarioOf([gpu(0, { cells: { "power.drawn": "1" } })]),
  },
  {
    problem:
      'devices[0].cells: "clocks_throttle_reasons.sw_power_cap" is called "clocks_event_reasons.sw_power_cap"',
    scenario: scenarioOf([gpu(0, { cells: { "clocks_throttle_reasons.sw_power_cap": "Active" } })]),
  },
  {
    problem: "devices[0].power.steps: not in time order",
    scenario: scenarioOf([
      gpu(0, {
        power: {
          kind: "steps",
          steps: [
            { atMs: 5, powerW: 1 },
            { atMs: 4, powerW: 1 },
          ],
        },
      }),
    ]),
  },
  {
    problem: "wholeOutput: wants either text or file",
    scenario: scenarioOf([], { wholeOutput: { exitCode: 9 } }),
  },
  {
    problem: "playback.rowsPerTick: more rows than there are devices",
    scenario: scenarioOf([gpu(0)], { playback: { file: "a.csv", rowsPerTick: 2 } }),
  },
])("$problem", ({ problem, scenario }) => {
  expect(scenarioProblems(scenario)).toEqual([problem]);
});

test("a file that is no JSON, or not there, is named", () => {
  expect(() => readScenario(written("{"))).toThrow(/scenario\.json: .*JSON/);
  expect(() => readScenario("/nowhere/s.json")).toThrow("/nowhere/s.json: ENOENT");
});
