import { JoulemarkError } from "../../errors.ts";
import type { EngineOptions } from "../engine-options.ts";
import {
  flag,
  listOf,
  number,
  object,
  oneOf,
  recordOf,
  type Shape,
  text,
} from "../nvidia-smi/shape.ts";
import type { EngineProfile } from "../profiles/engine-profile.ts";
import { namedProfiles } from "../profiles/named-profiles.ts";
import { profileWith } from "../profiles/profile-with.ts";
import { engineFaultShape } from "./fault.ts";

/** An engine's options with their defaults, and its profile as it will be. */
export interface ReadyEngineOptions extends EngineOptions {
  readonly port: number;
  readonly seed: number;
  readonly phases: "together" | "spread";
  readonly profileName: string;
  readonly engineProfile: EngineProfile;
}

const DEFAULT_PROFILE = "8b-h100";

/** What is left to those who know more of it. */
const anything: Shape = () => {};

const count: Shape = number({ min: 0, integer: true });

/** Faults, timing and loads are judged with the rail's scenario. */
const railShape: Shape = object(
  {},
  {
    boxGpuCount: count,
    dir: text(),
    driver: oneOf("new", "old"),
    faults: listOf(anything),
    firstIndex: count,
    logFile: text(),
    migMode: oneOf("Enabled", "Disabled"),
    sensorNoiseW: number({ min: 0 }),
    tenants: listOf(object({ index: count, pid: count, load: anything }, { processName: text() })),
    timing: anything,
  },
);

const optionsShape: Shape = object(
  {},
  {
    port: portShape,
    profile: oneOf(...Object.keys(namedProfiles)),
    set: recordOf(anything),
    model: text(),
    seed: number({ integer: true }),
    phases: oneOf("together", "spread"),
    truth: flag,
    apiKey: text(),
    strictFields: flag,
    refusedFields: listOf(text()),
    faults: listOf(engineFaultShape),
    rail: railShape,
  },
);

function portShape(value: unknown, path: string, problems: string[]): void {
  if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535) return;
  problems.push(`${path}: ${JSON.stringify(value)} is not a port from 0 to 65535`);
}

/** @throws {JoulemarkError} `bad_option` with all that is wrong. */
export function resolveEngineOptions(options: EngineOptions): ReadyEngineOptions {
  const problems: string[] = [];
  optionsShape(options, "engine", problems);
  if (problems.length > 0) throw new JoulemarkError("bad_option", problems.join("; "));
  const profileName = options.profile ?? DEFAULT_PROFILE;
  const profile = profileWith(namedProfiles[profileName]!, options.set ?? {});
  return {
    ...options,
    port: options.port ?? 0,
    seed: options.seed ?? 1,
    phases: options.phases ?? "together",
    profileName,
    engineProfile: { ...profile, model: options.model ?? profile.model },
  };
}
