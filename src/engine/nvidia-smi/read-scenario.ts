import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { JoulemarkError } from "../../errors.ts";
import { canonicalField, isKnownField } from "./fields.ts";
import type { Playback, Scenario, ScenarioDevice, ScenarioTiming } from "./scenario.ts";
import { scenarioShape } from "./scenario-shape.ts";

/** A scenario with its defaults filled in and its paths made absolute. */
export interface ReadyScenario extends Scenario {
  readonly driverVersion: string;
  readonly refusedFields: readonly string[];
  readonly timing: Required<ScenarioTiming>;
}

/** @throws {JoulemarkError} `bad_option`, with every problem of the file in its message. */
export function readScenario(path: string): ReadyScenario {
  const value = parse(path);
  const problems = scenarioProblems(value);
  if (problems.length > 0) {
    throw badScenario(path, problems.map((problem) => `\n  ${problem}`).join(""));
  }
  return ready(value as Scenario, dirname(resolve(path)));
}

/** All that is wrong with a scenario, each with the path of its key; none when it can be played. */
export function scenarioProblems(value: unknown): string[] {
  const problems: string[] = [];
  scenarioShape(value, "", problems);
  // What lies between two keys can only be judged when each is what it should be.
  return problems.length > 0 ? problems : crossProblems(value as Scenario);
}

function crossProblems(scenario: Scenario): string[] {
  const { devices, faults = [], playback, wholeOutput } = scenario;
  const problems = devices.flatMap((device, i) =>
    deviceProblems(device, `devices[${i}]`, playback !== undefined),
  );
  if (new Set(devices.map((device) => device.index)).size < devices.length) {
    problems.push("devices: two have the same index");
  }
  if (new Set(devices.map((device) => device.uuid)).size < devices.length) {
    problems.push("devices: two have the same uuid");
  }
  for (const [i, fault] of faults.entries()) {
    if ("index" in fault && !devices.some((device) => device.index === fault.index)) {
      problems.push(`faults[${i}].index: there is no device ${fault.index}`);
    }
  }
  if (wholeOutput && (wholeOutput.text === undefined) === (wholeOutput.file === undefined)) {
    problems.push("wholeOutput: wants either text or file");
  }
  if (playback?.raw !== true && (playback?.rowsPerTick ?? 0) > devices.length) {
    problems.push("playback.rowsPerTick: more rows than there are devices");
  }
  return problems;
}

function deviceProblems(device: ScenarioDevice, path: string, isPlayed: boolean): string[] {
  const problems: string[] = [];
  const { cells = {}, power } = device;
  for (const name of Object.keys(cells)) {
    if (canonicalField(name) !== name) {
      problems.push(`${path}.cells: "${name}" is called "${canonicalField(name)}"`);
    } else if (!isPlayed && !isKnownField(name)) {
      problems.push(`${path}.cells: "${name}" is no field`);
    }
  }
  const steps = power.kind === "steps" ? power.steps : [];
  if (steps.some((step, i) => i > 0 && step.atMs < steps[i - 1]!.atMs)) {
    problems.push(`${path}.power.steps: not in time order`);
  }
  return problems;
}

function ready(scenario: Scenario, folder: string): ReadyScenario {
  const { devices, timing = {}, logFile, playback, wholeOutput } = scenario;
  return {
    ...scenario,
    driverVersion: scenario.driverVersion ?? "590.48.01",
    refusedFields: scenario.refusedFields ?? [],
    devices: devices.map((device) =>
      device.power.kind === "steps-file"
        ? { ...device, power: { ...device.power, path: resolve(folder, device.power.path) } }
        : device,
    ),
    timing: {
      jitterMs: timing.jitterMs ?? [5, 50],
      perDeviceMs: timing.perDeviceMs ?? 0,
      firstTickMs: timing.firstTickMs ?? 0,
      seed: timing.seed ?? 1,
      perTickFlush: timing.perTickFlush ?? true,
    },
    ...(logFile !== undefined && { logFile: resolve(folder, logFile) }),
    ...(playback && { playback: withPath(playback, folder) }),
    ...(wholeOutput?.file !== undefined && { wholeOutput: withPath(wholeOutput, folder) }),
  };
}

function withPath<T extends Pick<Partial<Playback>, "file">>(part: T, folder: string): T {
  return part.file === undefined ? part : { ...part, file: resolve(folder, part.file) };
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw badScenario(path, ` ${(cause as Error).message}`, { cause });
  }
}

function badScenario(path: string, details: string, options?: ErrorOptions): JoulemarkError {
  return new JoulemarkError("bad_option", `stand-in scenario ${path}:${details}`, options);
}
