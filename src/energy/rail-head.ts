/** First part of every key of a rail: what the joules are of. */
export type RailHead = "gpu_rail" | "cpu_rail" | "node_rail" | "module_rail" | "sim_rail";

/** A device whose name begins so is simulated, and writes `sim_rail_*` keys and nothing else. */
const SIMULATED = "SIMULATED";

/**
 * The head under which a rail's figures are written: `sim_rail` as soon as one device is simulated.
 *
 * @param real - the head of a rail whose devices are all real.
 */
export function railHead(deviceNames: readonly string[], real: RailHead): RailHead {
  return deviceNames.some((name) => name.startsWith(SIMULATED)) ? "sim_rail" : real;
}
