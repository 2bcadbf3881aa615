import type { GeneratorHealth } from "../load/generator-health.ts";
import type { SensorCheck } from "../rails/sensor-check.ts";
import type { EnergyReason } from "./meter-facts.ts";

/**
 * One line of `events.jsonl`: what happened in a run, in order. Times are in ms on the clock of the
 * segment that the line is in; a `segment` line begins a segment, and a resumed run has several.
 */
export type RunEvent =
  | {
      readonly event: "segment";
      /** From 0. */
      readonly segment: number;
      readonly atMs: number;
      readonly startedAt: string;
      readonly clockOriginNs: string;
      readonly software: string;
    }
  | {
      /** What the probe and the server itself told. */
      readonly event: "server";
      readonly atMs: number;
      readonly name?: string;
      readonly version?: string;
      readonly how?: string;
      readonly model?: string;
    }
  | {
      /** Prompts of one input length, as the server counts them. */
      readonly event: "prompts";
      readonly atMs: number;
      readonly inputTokens: number;
      readonly isCalibrated: boolean;
      readonly expectedTokens?: number;
      readonly maxDeviationTokens?: number;
      readonly why?: string;
    }
  | {
      /** The rail is open, or is not and why, when `railLines` of the segment were there. */
      readonly event: "meter";
      readonly atMs: number;
      readonly railLines: number;
      readonly absent?: EnergyReason;
      readonly idle?: { readonly startMs: number; readonly endMs: number };
      readonly idleReasons: readonly EnergyReason[];
      readonly warnings: readonly string[];
    }
  | { readonly event: "cell_started"; readonly atMs: number; readonly cell: number }
  | {
      readonly event: "phase";
      readonly atMs: number;
      readonly cell?: number;
      readonly phase: PhaseName;
    }
  | {
      /**
       * A measured window is over and has been judged, when `railLines` of the segment's readings
       * in `rail.jsonl` were there. Its requests are those of the cell and the segment.
       */
      readonly event: "window";
      readonly atMs: number;
      readonly cell: number;
      readonly startMs: number;
      readonly endMs: number;
      readonly railLines: number;
      /** The steady part is a whole multiple of this; absent: as long as it is. */
      readonly steadyStepMs?: number;
      /** Lines of `requests.jsonl` that belong to it. */
      readonly requests: number;
      readonly health: GeneratorHealth;
      /** Why the load ended before its plan did. */
      readonly stopped?: string;
      readonly notSent: number;
      /** Why the joules are not this server's, as it was seen beside the readings. */
      readonly reasons?: readonly EnergyReason[];
      /** What was seen there and refuses nothing. */
      readonly warnings?: readonly string[];
    }
  | ({
      /**
       * The step of a load showed a device's averaging time, when `railLines` of the segment were
       * there: where it is another one than declared, later windows are judged with both.
       */
      readonly event: "sensor_check";
      readonly atMs: number;
      readonly railLines: number;
    } & SensorCheck)
  | { readonly event: "cell_ended"; readonly atMs: number; readonly cell: number }
  | { readonly event: "signal"; readonly atMs: number; readonly signal: string }
  | { readonly event: "ended"; readonly atMs: number; readonly isInterrupted: boolean };

export type PhaseName = "probe" | "calibrate" | "baseline" | "warm-up" | "settle" | "window";
