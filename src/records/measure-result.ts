import type { EnergyWindow } from "../energy/energy-window.ts";
import type { Metrics } from "../energy/metrics.ts";
import type { Refusal } from "../energy/rail-refusal.ts";
import type { SamplerCost } from "../energy/sampler-cost.ts";
import type { LogLine } from "../rails/meter.ts";
import type { RailFacts, RailWindow } from "../rails/source.ts";

/** How a command ended. */
export interface CommandEnd {
  readonly startMs: number;
  readonly endMs: number;
  /** What a shell would report: its own code, 128 + n when signal n killed it. */
  readonly exitCode: number;
  readonly signal?: NodeJS.Signals;
  /** Why it could not be started, where that is so. */
  readonly failure?: string;
}

/** What a command cost, or why that is not known. */
export interface MeasureResult {
  /** The command's name; its arguments are left out, since they may hold keys. */
  readonly command: string;
  /** Wall time at which the command started, ISO 8601. */
  readonly startedAt: string;
  readonly end: CommandEnd;
  /** Absent without a rail. */
  readonly rail?: RailFacts;
  readonly window: RailWindow;
  readonly idle?: EnergyWindow;
  /** What reading the rail cost; absent without a rail. */
  readonly cost?: SamplerCost;
  readonly metrics: Metrics;
  /** Every reason for which a figure is absent. */
  readonly validity: readonly Refusal[];
  readonly warnings: readonly string[];
  readonly log: readonly LogLine[];
}
