import type { EngineRailOptions } from "./rail/rail-options.ts";
import type { EngineFault } from "./server/fault.ts";
import type { Phases } from "./server/send-queue.ts";

/** What may be said of an engine; all of it has defaults, and all of it is JSON. */
export interface EngineOptions {
  /** Of the loopback interface; default 0: any that is free. */
  readonly port?: number;
  /** Name of a profile, default `"8b-h100"`. */
  readonly profile?: string;
  /** Figures of the profile that are to be others, such as `{ stepBaseMs: 20, "power.limitW": 400 }`. */
  readonly set?: Readonly<Record<string, string | number | boolean>>;
  /** Default: the profile's. */
  readonly model?: string;
  /** Of everything that is random, default 1. */
  readonly seed?: number;
  /** Tokens of a step are sent together at its end (default), or spread over the time of a step. */
  readonly phases?: Phases;
  /** Keeps the send time of each token, writes it into each event and answers `/truth/…`. */
  readonly truth?: boolean;
  /** Bearer key that requests must have; default none. */
  readonly apiKey?: string;
  /** Refuses fields that it does not know, as OpenAI does. */
  readonly strictFields?: boolean;
  /** Fields that are refused although they are known. */
  readonly refusedFields?: readonly string[];
  readonly faults?: readonly EngineFault[];
  /** The box that the engine's GPUs are in, and the `nvidia-smi` that shows it. */
  readonly rail?: EngineBoxOptions;
}

/** A box of simulated GPUs: which of them serve, who else works on them, how its sensors fail. */
export type EngineBoxOptions = Pick<
  EngineRailOptions,
  | "boxGpuCount"
  | "dir"
  | "driver"
  | "faults"
  | "firstIndex"
  | "logFile"
  | "migMode"
  | "sensorNoiseW"
  | "tenants"
  | "timing"
>;
