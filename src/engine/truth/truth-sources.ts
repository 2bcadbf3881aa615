import type { PowerHistory } from "../power/power-history.ts";
import { tenantEnergyJ } from "../power/tenant.ts";
import type { RailDevice, RailTenant } from "../rail/rail-options.ts";
import type { TokenLog } from "./token-log.ts";

/** Where the truth comes from; all times are ns since the origin. */
export interface TruthSources {
  /** The engine's time 0 on the machine's monotonic clock, in ns. */
  readonly originNs: bigint;
  /** What the engine's own work and idling drew, by serving GPU in the order of indices. */
  readonly history: PowerHistory;
  readonly devices: readonly RailDevice[];
  /** Others on the GPUs. */
  readonly tenants: readonly RailTenant[];
  /** What a GPU draws that nobody uses, in W. */
  readonly idleW: number;
  readonly tokenLog: TokenLog;
  /** Does all that is due. @returns the time now. */
  readonly catchUp: () => number;
}

/** Joules that the engine put into a GPU; 0 for one that does not serve. */
export function ownEnergyJ(
  { history, devices }: Pick<TruthSources, "history" | "devices">,
  device: RailDevice,
  startNs: number,
  endNs: number,
  nowNs: number,
): number {
  const place = devices.filter(({ serves }) => serves).indexOf(device);
  return place < 0 ? 0 : history.energyJ(place, startNs, endNs, nowNs);
}

/** Joules that went into a GPU beside those of the engine: a tenant's, and a spare one's idling. */
export function otherEnergyJ(
  { tenants, idleW }: Pick<TruthSources, "tenants" | "idleW">,
  device: RailDevice,
  startNs: number,
  endNs: number,
): number {
  const idleJ = device.serves ? 0 : (idleW * (endNs - startNs)) / 1e9;
  return tenants
    .filter(({ index }) => index === device.index)
    .reduce((sum, { load }) => sum + tenantEnergyJ(load, startNs, endNs), idleJ);
}
