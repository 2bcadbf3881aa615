import type { Fault, ScenarioTiming } from "./nvidia-smi/scenario.ts";
import type { GpuGeneration } from "./profiles/engine-profile.ts";
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
  readonly rail?: EngineRailOptions;
}

/** The box that the engine's GPUs are in, and the `nvidia-smi` that shows it. */
export interface EngineRailOptions {
  /** Folder for the stand-in `nvidia-smi`; default a temporary one that goes with the engine. */
  readonly dir?: string;
  /** All GPUs of the box, default those that serve. */
  readonly gpus?: number;
  /** Index of the first GPU that serves, default 0. */
  readonly firstServing?: number;
  /** Default: the profile's. */
  readonly generation?: GpuGeneration;
  readonly isMig?: boolean;
  readonly tenants?: readonly TenantOptions[];
  readonly faults?: readonly Fault[];
  readonly timing?: ScenarioTiming;
}

/** Someone else's work on one GPU of the box. */
export interface TenantOptions {
  /** Index of the GPU; one that serves too makes a foreign load. */
  readonly gpu: number;
  readonly powerW: number;
  /** The load comes and goes with this period, in s; default: it stays. */
  readonly periodS?: number;
  /** Process id that is shown for it, default 1. */
  readonly pid?: number;
}
