import { InvalidArgumentError, Option } from "commander";
import { type MeterOptions, RAIL_NAMES, type RailName } from "../rails/meter-options.ts";

/** The flags about the rail, as the parser gives them: already numbers with units. */
export interface RailFlags {
  readonly rail: RailName;
  readonly railPeriod: number;
  readonly railDevices?: readonly string[];
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

/** Flags about the rail that every benchmark has. */
export const railFlags: readonly Option[] = [
  new Option("--rail <name>", "which rail to read").choices([...RAIL_NAMES]).default("auto"),
  new Option("--rail-period <ms>", "time between readings, in whole milliseconds")
    .default(250)
    .argParser(wholePeriodMs),
  new Option("--rail-devices <list>", "which GPUs, by index or uuid: 0,1 (default: all)").argParser(
    commaList,
  ),
  ...nvidiaSmiFlags,
];

/** The meter's options from the flags; what was not given stays absent. */
export function meterOptions(flags: RailFlags): MeterOptions {
  const { rail, railPeriod, railDevices, railWait, nvidiaSmi } = flags;
  return {
    rail,
    periodMs: railPeriod,
    startTimeoutMs: railWait * 1000,
    ...(railDevices === undefined ? {} : { devices: railDevices }),
    ...(nvidiaSmi === undefined ? {} : { nvidiaSmiPath: nvidiaSmi }),
  };
}

/** A time in seconds, 0 or more. */
export function seconds(text: string): number {
  const value = plainNumber(text);
  if (value === undefined || value > LONGEST_S)
    throw new InvalidArgumentError(`Give seconds, from 0 to ${LONGEST_S}, such as 2 or 0.5.`);
  return value;
}

/** A day: no quiet time is longer. */
const LONGEST_S = 86_400;

/** A path, which an empty text or the mark behind the flags is not. */
export function path(text: string): string {
  if (text === "" || text === "--") throw new InvalidArgumentError("Give a path.");
  return text;
}

function positiveSeconds(text: string): number {
  const value = plainNumber(text);
  if (value === undefined || value === 0 || value > LONGEST_S)
    throw new InvalidArgumentError(
      `Give seconds, more than 0 and at most ${LONGEST_S}, such as 10.`,
    );
  return value;
}

function wholePeriodMs(text: string): number {
  const value = plainNumber(text);
  if (value === undefined || !Number.isInteger(value) || value < 1 || value > 60_000)
    throw new InvalidArgumentError("Give whole milliseconds from 1 to 60000, such as 250.");
  return value;
}

function commaList(text: string): readonly string[] {
  const parts = text.split(",").map((part) => part.trim());
  if (parts.some((part) => part === ""))
    throw new InvalidArgumentError("Give indexes or uuids with commas between, such as 0,1.");
  return parts;
}

function plainNumber(text: string): number | undefined {
  return /^(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : undefined;
}
