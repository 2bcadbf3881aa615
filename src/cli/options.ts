import { InvalidArgumentError, Option } from "commander";
import { type MeterOptions, RAIL_NAMES, type RailName } from "../rails/meter-options.ts";
import { path, positiveSeconds, textList } from "./parse-values.ts";
import { type GainFlag, gainOf, railGain } from "./rail-gain.ts";

/** The flags about the rail, as the parser gives them: already numbers with units. */
export interface RailFlags {
  readonly rail: RailName;
  readonly railPeriod: number;
  readonly railDevices?: readonly string[];
  readonly railGain?: GainFlag;
  readonly railWait: number;
  readonly nvidiaSmi?: string;
}

/** Flags that say which nvidia-smi is asked, and how long it may take. */
export const nvidiaSmiFlags: readonly Option[] = [
  new Option(
    "--nvidia-smi <path>",
    "the nvidia-smi program, where it is not the one in PATH",
  ).argParser(path),
  new Option("--rail-wait <s>", "how long the rail may take to give its first reading, in seconds")
    .default(3)
    .argParser(positiveSeconds),
];

export const railDevicesFlag: Option = new Option(
  "--rail-devices <list>",
  "which GPUs, by index or uuid: 0,1 (default: all)",
).argParser(textList("indexes or uuids", "0,1"));

/** Flags about the rail that every benchmark has. */
export const railFlags: readonly Option[] = [
  new Option("--rail <name>", "which rail to read").choices([...RAIL_NAMES]).default("auto"),
  new Option("--rail-period <ms>", "time between readings, in whole milliseconds")
    .default(250)
    .argParser(wholePeriodMs),
  railDevicesFlag,
  new Option(
    "--rail-gain <list>",
    "what the readings of calibrated cards are multiplied with: 1.047, or by index or uuid: 0=1.047,1=0.98",
  ).argParser(railGain),
  ...nvidiaSmiFlags,
];

/** The meter's options from the flags; what was not given stays absent. */
export function meterOptions(flags: RailFlags): MeterOptions {
  const { rail, railPeriod, railDevices, railGain: gain, railWait, nvidiaSmi } = flags;
  return {
    rail,
    periodMs: railPeriod,
    startTimeoutMs: railWait * 1000,
    ...(railDevices === undefined ? {} : { devices: railDevices }),
    ...(gain === undefined ? {} : { gain: gainOf(gain) }),
    ...(nvidiaSmi === undefined ? {} : { nvidiaSmiPath: nvidiaSmi }),
  };
}

function wholePeriodMs(text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > 60_000)
    throw new InvalidArgumentError("Give whole milliseconds from 1 to 60000, such as 250.");
  return value;
}
