import type { DRIVER_BY_AGE } from "../nvidia-smi/generations.ts";
import type { Scenario, ScenarioDevice } from "../nvidia-smi/scenario.ts";
import type { TenantLoad } from "../power/tenant.ts";
import type { PowerProfile } from "../profiles/engine-profile.ts";

/** Another program on a GPU of the box. */
export interface RailTenant {
  /** Index of its GPU; one that serves has a foreign load then. */
  readonly index: number;
  readonly pid: number;
  /** Default `"/usr/bin/tenant"`. */
  readonly processName?: string;
  /** A wave's periods begin at the engine's time 0. */
  readonly load: TenantLoad;
}

/** A box of simulated GPUs, some of which serve. */
export interface EngineRailOptions {
  readonly power: PowerProfile;
  /** The engine's time 0 on the machine's monotonic clock (`process.hrtime`). */
  readonly originNs: bigint;
  /** Of uuids, jitter and noise. */
  readonly seed: number;
  /** The process that holds the serving GPUs, default this one. */
  readonly pid?: number;
  /** Index of the first GPU that serves, default 0; the others follow it. */
  readonly firstIndex?: number;
  /** GPUs of the box, default the last one that serves. Those that do not serve draw `idleW`. */
  readonly boxGpuCount?: number;
  readonly tenants?: readonly RailTenant[];
  /** Of all GPUs of the box, default `"Disabled"`. */
  readonly migMode?: NonNullable<ScenarioDevice["migMode"]>;
  /** Default `"new"`; `"old"` refuses `power.draw.average` and what else is younger. */
  readonly driver?: keyof typeof DRIVER_BY_AGE;
  /** Half-width of the sensors' uniform error, default 0.05 W, so that the last digits move. */
  readonly sensorNoiseW?: number;
  /** Handed to the stand-in as they are. */
  readonly faults?: NonNullable<Scenario["faults"]>;
  /** Default, with several GPUs: rows of one tick are read and printed 15 ms apart. */
  readonly timing?: NonNullable<Scenario["timing"]>;
  readonly logFile?: string;
  /** Where the rail's files go, default a new temporary folder. */
  readonly dir?: string;
  /** The built `main.js` of the stand-in, default the one beside its source. */
  readonly program?: string;
}

/** One GPU of the box. */
export interface RailDevice {
  readonly index: number;
  readonly uuid: string;
  readonly name: string;
  /** Whether the engine draws on it. */
  readonly serves: boolean;
}
