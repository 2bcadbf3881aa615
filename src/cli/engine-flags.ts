import { InvalidArgumentError } from "commander";
import type { EngineOptions } from "../engine/engine-options.ts";
import type { Fault } from "../engine/nvidia-smi/scenario.ts";
import type { Shape } from "../engine/nvidia-smi/shape.ts";
import { namedProfiles } from "../engine/profiles/named-profiles.ts";
import { profileWith } from "../engine/profiles/profile-with.ts";
import type { RailTenant } from "../engine/rail/rail-options.ts";
import type { EngineFault } from "../engine/server/fault.ts";
import { JoulemarkError } from "../errors.ts";
import { cleanText } from "../report/clean-text.ts";
import { readUserFile, UnreadableFile } from "./read-user-file.ts";

/** The flags of `joulemark engine`, as the parser gives them. */
export interface EngineFlags {
  readonly port: number;
  readonly profile: string;
  readonly set?: Readonly<Record<string, string>>;
  readonly model?: string;
  readonly seed: number;
  readonly phases: "together" | "spread";
  readonly truth?: boolean;
  readonly apiKeyEnv?: string;
  readonly strictFields?: boolean;
  readonly refuseFields?: readonly string[];
  readonly fault?: readonly EngineFault[];
  readonly smiDir?: string;
  readonly gpus?: number;
  readonly firstGpu: number;
  readonly tenant?: readonly RailTenant[];
  readonly driver: "new" | "old";
  readonly mig?: boolean;
  readonly railFault?: readonly Fault[];
  readonly listProfiles?: boolean;
  readonly instant?: boolean;
  readonly json?: boolean;
}

/** The engine's options from the flags; what was not given stays absent. */
export function engineOptions(flags: EngineFlags): EngineOptions {
  const { port, profile, set, model, seed, phases, truth, strictFields, apiKeyEnv } = flags;
  return {
    port,
    profile,
    seed,
    phases,
    ...(set && { set: settings(profile, set) }),
    ...(model !== undefined && { model }),
    ...(truth && { truth }),
    ...(strictFields && { strictFields }),
    ...(apiKeyEnv !== undefined && { apiKey: keyIn(apiKeyEnv) }),
    ...(flags.refuseFields && { refusedFields: flags.refuseFields }),
    ...(flags.fault && { faults: flags.fault }),
    rail: {
      firstIndex: flags.firstGpu,
      driver: flags.driver,
      ...(flags.smiDir !== undefined && { dir: flags.smiDir }),
      ...(flags.gpus !== undefined && { boxGpuCount: flags.gpus }),
      ...(flags.tenant && { tenants: flags.tenant }),
      ...(flags.mig && { migMode: "Enabled" as const }),
      ...(flags.railFault && { faults: flags.railFault }),
    },
  };
}

/** What a variable's name is by custom; anything else may be the key itself, given by mistake. */
const SHOWN_VARIABLE_NAME = /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)+$/;

function keyIn(name: string): string {
  const key = process.env[name];
  if (key) return key;
  const shown = SHOWN_VARIABLE_NAME.test(name) ? name : "the variable that was given";
  throw new JoulemarkError(
    "bad_option",
    `--api-key-env: ${shown} is not set or empty; give the name of an environment variable that holds the key`,
  );
}

/** The profile's figures, wrong ones refused here, where the flag is known. */
function settings(profile: string, set: Readonly<Record<string, string>>) {
  try {
    profileWith(namedProfiles[profile]!, set);
    return set;
  } catch (error) {
    if (!(error instanceof JoulemarkError)) throw error;
    throw new JoulemarkError("bad_option", `--set: ${error.message}`, { cause: error });
  }
}

/** A parser of whole numbers within limits. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
  };
}

/** One more `key=value`; the last one of a key counts. */
export function keyValue(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const [key = "", ...rest] = text.split("=");
  if (key === "" || rest.length === 0) {
    throw new InvalidArgumentError("Give key=value, such as stepBaseMs=20.");
  }
  return { ...before, [key]: rest.join("=") };
}

/** A parser of one more fault, as JSON; `@FILE` reads it from a file. */
export function faultLike(
  shape: Shape,
): (text: string, before?: readonly unknown[]) => readonly unknown[] {
  return (text, before = []) => {
    const problems: string[] = [];
    const value = parsedJson(text);
    shape(value, "the fault", problems);
    if (problems.length === 0) return [...before, value];
    throw new InvalidArgumentError(`Give one fault as JSON, or @FILE: ${problems.join("; ")}.`);
  };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith("@") ? readUserFile(text.slice(1)) : text);
  } catch (error) {
    const said = cleanText((error as Error).message);
    const why = error instanceof UnreadableFile ? `it could not be read (${said})` : said;
    throw new InvalidArgumentError(`Give one fault as JSON, or @FILE: ${why}.`);
  }
}

/** Shown as the process of a tenant, whatever is there really. */
const TENANT_PID = 1;

/** One more tenant: the index of its GPU, its watts and, if it comes and goes, how long each. */
export function tenant(text: string, before: readonly RailTenant[] = []): readonly RailTenant[] {
  const parts = text.split(":");
  const [index, powerW, eachS] = parts.map(Number);
  const isFine =
    parts.length >= 2 &&
    parts.length <= 3 &&
    parts.every((part) => /^\d+(\.\d+)?$/.test(part)) &&
    Number.isInteger(index) &&
    (eachS === undefined || eachS > 0);
  if (!isFine) {
    throw new InvalidArgumentError("Give GPU:WATTS or GPU:WATTS:SECONDS, such as 0:80 or 1:200:5.");
  }
  const load =
    eachS === undefined
      ? ({ kind: "constant", powerW: powerW! } as const)
      : ({
          kind: "square",
          lowW: 0,
          highW: powerW!,
          periodMs: eachS * 2000,
          highMs: eachS * 1000,
        } as const);
  return [...before, { index: index!, pid: TENANT_PID, load }];
}

/** Some name, on one line. */
export function modelName(text: string): string {
  if (/^[^\r\n]*\S[^\r\n]*$/.test(text)) return text;
  throw new InvalidArgumentError("Give a name of one line that is not empty, such as sim-8b.");
}

/** Field names with commas between. */
export function fieldNames(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.every((name) => /^\w+$/.test(name))) return names;
  throw new InvalidArgumentError(
    "Give field names with commas between, such as stream_options,seed.",
  );
}
