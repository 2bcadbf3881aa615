import type { Command } from "commander";
import { Option } from "commander";
import { probeSensor } from "../benchmarks/probe-sensor.ts";
import { RailUnreadableError } from "../errors.ts";
import { hasStep } from "../rails/sensor-probe.ts";
import { probeJson } from "../records/probe-json.ts";
import { probeTable } from "../report/probe-table.ts";
import { accessFlags, type BenchmarkFlags } from "./benchmark-flags.ts";
import { errorText } from "./log-text.ts";
import { railDevicesFlag } from "./options.ts";
import type { Output } from "./output.ts";
import { positiveSeconds } from "./parse-values.ts";
import { targetOf } from "./resolve-flags.ts";
import { UsageError } from "./usage-error.ts";

export interface ProbeFlags extends BenchmarkFlags {
  readonly probe?: boolean;
  readonly probeWait: number;
}

/** Flags of `rails --probe` alone. */
export const probeFlags: readonly Option[] = [
  new Option(
    "--probe",
    "measure over what time the sensor averages and how often it is renewed, by a step of load",
  ),
  new Option("--probe-wait <s>", "how long to watch for a load, where no --target makes one")
    .default(60)
    .argParser(positiveSeconds),
  railDevicesFlag,
  ...accessFlags,
  new Option(
    "--rail-local <yes|no>",
    "whether the target runs on this machine (default: found out)",
  ).choices(["yes", "no"]),
];

/** @returns the exit code: 4 where no step was clear, or there is nothing to read here. */
export async function runProbe(
  flags: ProbeFlags,
  output: Output,
  signal: AbortSignal,
): Promise<number> {
  const { railLocal, nvidiaSmi, railDevices, extraBody } = flags;
  const target = targetOf(flags);
  const say = (text: string): void => output.note(`joulemark: ${text}`);
  try {
    const probe = await probeSensor(
      {
        waitMs: flags.probeWait * 1000,
        startTimeoutMs: flags.railWait * 1000,
        ...(target === undefined ? {} : { target }),
        ...(railLocal === undefined ? {} : { isLocal: railLocal === "yes" }),
        ...(extraBody === undefined ? {} : { extraBody }),
        ...(nvidiaSmi === undefined ? {} : { nvidiaSmiPath: nvidiaSmi }),
        ...(railDevices === undefined ? {} : { devices: railDevices }),
      },
      say,
      signal,
    );
    output.result(
      flags.json ? JSON.stringify(probeJson(probe), null, 2) : probeTable(probe, output.resultLook),
    );
    if (probe.devices.some(hasStep)) return 0;
    say(
      "no clear step was seen: the load must hold still for seconds, and so must the quiet around it",
    );
    return 4;
  } catch (error) {
    if (!(error instanceof RailUnreadableError)) throw error;
    output.note(errorText(error.message, output.noteLook.width));
    return 4;
  }
}

/** @throws {UsageError} for a flag of the probe without `--probe`; the environment may say anything. */
export function checkNoProbe(command: Command): void {
  const given = probeFlags.find(
    (flag) => command.getOptionValueSource(flag.attributeName()) === "cli",
  );
  if (given !== undefined)
    throw new UsageError(`--${given.name()} belongs to --probe: give that too, or leave it out`);
}
