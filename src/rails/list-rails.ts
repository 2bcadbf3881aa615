import type { PowerSample } from "../energy/power-sample.ts";
import { RailUnreadableError } from "../errors.ts";
import { openNvidiaSmi } from "./nvidia-smi/open-nvidia-smi.ts";
import { COVERS, EXCLUDES } from "./nvidia-smi/rail-facts.ts";
import type { RailFacts } from "./source.ts";

/** One source of watts: what it covers, and whether it can be read here. */
export type RailReport = ReadableRail | UnreadableRail;

export interface ReadableRail {
  readonly state: "readable";
  readonly source: string;
  readonly facts: RailFacts;
  /** The first reading of each device that gave one. */
  readonly readings: readonly PowerSample[];
}

export interface UnreadableRail {
  readonly state: "unreadable";
  readonly source: string;
  readonly covers: string;
  readonly excludes: string;
  readonly why: string;
  readonly remedy: string;
}

export interface ListRailsOptions {
  /** The nvidia-smi program; default the one in PATH. */
  readonly nvidiaSmiPath?: string;
  /** How long an answer, and then the first reading, may take, in ms; default 3000. */
  readonly startTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Tries every source on this machine for real, and says of each whether it can be read. */
export async function listRails(options: ListRailsOptions = {}): Promise<readonly RailReport[]> {
  return [await tryNvidiaSmi(options)];
}

async function tryNvidiaSmi({
  nvidiaSmiPath,
  startTimeoutMs,
  signal,
}: ListRailsOptions): Promise<RailReport> {
  const source = "nvidia-smi";
  try {
    const sampler = await openNvidiaSmi({
      ...(nvidiaSmiPath === undefined ? {} : { path: nvidiaSmiPath }),
      ...(startTimeoutMs === undefined ? {} : { startTimeoutMs }),
      ...(signal === undefined ? {} : { signal }),
    });
    const readings = sampler.latest();
    await sampler.stop();
    return { state: "readable", source, facts: sampler.facts, readings };
  } catch (error) {
    if (!(error instanceof RailUnreadableError)) throw error;
    const { why, remedy } = error;
    return { state: "unreadable", source, covers: COVERS, excludes: EXCLUDES, why, remedy };
  }
}
