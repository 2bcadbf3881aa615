import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";

const KEY = "joulemark:clockOriginNs";

/**
 * The run's origin, in ns of the machine's monotonic clock: the moment this module was first loaded
 * in the program. Every thread that is started from then on inherits it.
 */
export const clockOriginNs: bigint = inheritedOriginNs() ?? process.hrtime.bigint();
setEnvironmentData(KEY, clockOriginNs);

const ORIGIN_S = Number(clockOriginNs / 1_000_000_000n);
const ORIGIN_REST_NS = Number(clockOriginNs % 1_000_000_000n);

/**
 * Milliseconds since the run's origin, on the machine's monotonic clock.
 *
 * The same in a thread and in those that it starts. Steps of the wall clock do not touch it.
 */
export function nowMs(): number {
  const [s, ns] = process.hrtime();
  return (s - ORIGIN_S) * 1000 + (ns - ORIGIN_REST_NS) / 1e6;
}

function inheritedOriginNs(): bigint | undefined {
  const originNs: unknown = getEnvironmentData(KEY);
  return typeof originNs === "bigint" ? originNs : undefined;
}
