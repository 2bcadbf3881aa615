import type { EstimateMethod } from "../energy/energy-estimate.ts";
import type { EnergyWindow } from "../energy/energy-window.ts";
import type { Metrics } from "../energy/metrics.ts";
import type { RailReason } from "../energy/rail-refusal.ts";
import type { SamplerCost } from "../energy/sampler-cost.ts";
import type { GeneratorHealth } from "../load/generator-health.ts";
import type { SensorCheck } from "../rails/sensor-check.ts";
import type { RailFacts } from "../rails/source.ts";
import type { Summary } from "../stats/summary.ts";
import type { TargetRecord } from "../target/target-record.ts";
import type { BenchmarkName, CellPlan, HostFacts, RunParameters } from "./run-header.ts";

/** What a run measured: `record.json`. What was not measured is absent, and its reason is there. */
export interface RunRecord {
  readonly schema: "joulemark.record/1";
  readonly benchmark: BenchmarkName;
  readonly software: { readonly name: "joulemark"; readonly version: string };
  readonly startedAt: string;
  /** Something in it was simulated: no figure of energy is that of a real device. */
  readonly simulated: boolean;
  readonly interrupted: boolean;
  readonly parameters: RunParameters;
  readonly target: TargetRecord;
  readonly host: HostFacts;
  readonly server?: { readonly name?: string; readonly version?: string; readonly model?: string };
  readonly rail?: RailFacts;
  readonly idle?: EnergyWindow;
  /** What a step of load showed of each device's sensor, where one was clear. */
  readonly sensorChecks?: readonly SensorCheck[];
  readonly cells: readonly CellRecord[];
  /** Flat, sorted, finite numbers only: of each cell behind its prefix, and of the run. */
  readonly metrics: Metrics;
  /** Decode-floor alone: whether the floor was held. */
  readonly verdict?: {
    readonly verdict: "pass" | "fail" | "inconclusive" | "measured";
    readonly reasons: readonly string[];
  };
  /** Reasons that hold for the whole run. */
  readonly validity: readonly Reason[];
  readonly warnings: readonly string[];
  readonly log: readonly { readonly level: "info" | "warn"; readonly text: string }[];
  readonly samplerCost?: SamplerCost;
  /** Lines of the raw files that could not be read, such as a torn last one. */
  readonly damage: readonly string[];
}

/** One measured cell. */
export interface CellRecord extends CellPlan {
  readonly state: "measured" | "interrupted" | "not measured";
  readonly startMs?: number;
  readonly endMs?: number;
  /** Of requests that ended well; in ms. */
  readonly ttftMs?: Summary;
  readonly tpotMs?: Summary;
  readonly e2eMs?: Summary;
  /** Gaps between token events, each once. */
  readonly itlEventMs?: Summary;
  /** The same by token, where it is known how many tokens each event brought. */
  readonly itlTokenMs?: Summary;
  readonly counts?: {
    readonly ok: number;
    readonly failed: number;
    readonly failedByKind: Readonly<Record<string, number>>;
    /** Cut off when the run was interrupted; absent when none was. */
    readonly cancelled?: number;
    readonly notSent: number;
  };
  readonly tokens?: {
    readonly output: number;
    readonly delivered: number;
    readonly isEstimated: boolean;
    readonly prompt?: number;
    readonly cachedPrompt?: number;
    /** Of requests that ended well. */
    readonly minCompletion?: number;
  };
  /** From the moment all slots stream to the moment the first slot can no longer be refilled. */
  readonly steady?: SteadyRecord;
  /** How the energy that the window really took was estimated; absent without an estimate. */
  readonly energyMethod?: EstimateMethod;
  readonly health?: GeneratorHealth;
  /** Figures of this cell alone, without prefix. */
  readonly metrics: Metrics;
  /** Nothing speaks against comparing it with others. */
  readonly isComparable: boolean;
  readonly validity: readonly Reason[];
  readonly warnings: readonly string[];
}

/** The steady part of a window; why its figures of energy are absent stands here alone. */
export interface SteadyRecord {
  readonly startMs: number;
  readonly endMs: number;
  readonly energyMethod?: EstimateMethod;
  /** Absent where there is none. */
  readonly reasons?: readonly Reason[];
}

/** One reason why figures are absent, or a cell is not to be compared. */
export interface Reason {
  readonly reason: ReasonCode;
  readonly refuses: "energy" | "estimate" | "above_idle" | "per_token" | "phases" | "comparison";
  readonly detail: string;
}

export type ReasonCode =
  | RailReason
  | "tokens_unknown"
  | "tokens_mismatch"
  | "tokens_estimated"
  | "short_completions"
  | "cache_uncontrolled"
  | "phases_not_told"
  | "errors"
  | "client_saturated"
  | "interrupted";
