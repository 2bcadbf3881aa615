import type { EngineProfile } from "../profiles/engine-profile.ts";
import type { RailDevice } from "../rail/rail-options.ts";
import type { ScheduleCounts } from "../schedule/sequence.ts";
import type { EngineCounters } from "./engine-counters.ts";

/** What a simulated engine is, and what it has done so far. */
export interface EngineStatus {
  readonly simulated: true;
  readonly profile: string;
  readonly summary: string;
  /** The figures of the profile, with the changes that were asked for. */
  readonly settings: EngineProfile;
  readonly model: string;
  readonly seed: number;
  readonly devices: readonly RailDevice[];
  readonly uptimeS: number;
  readonly counters: EngineCounters;
  readonly counts: ScheduleCounts;
  readonly steps: { readonly done: number; readonly slips: number };
  /** How late tokens were sent, against the schedule; absent before the first. */
  readonly sendLag?: { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number };
  /** What the engine's own work and idling took since it started. */
  readonly servingJ: number;
  /** The first thing that went wrong with the files of the stand-in `nvidia-smi`. */
  readonly railTrouble?: string;
}
