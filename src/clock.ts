import { workerData } from "node:worker_threads";

/** What a thread of ours finds in its `workerData`, so that its clock starts where its parent's did. */
export interface ClockSeed {
  /** Origin of the run's clock, in nanoseconds of the machine's monotonic clock. */
  readonly clockOriginNs: bigint;
}

/** The run's origin: the moment this module was first loaded in the program's main thread. */
export const clockOriginNs: bigint = inheritedOriginNs() ?? process.hrtime.bigint();

const ORIGIN_S = Number(clockOriginNs / 1_000_000_000n);
const ORIGIN_REST_NS = Number(clockOriginNs % 1_000_000_000n);

/**
 * Milliseconds since the run's origin, on the machine's monotonic clock.
 *
 * The same in every thread that joulemark starts. Steps of the wall clock do not touch it.
 */
export function nowMs(): number {
  const [s, ns] = process.hrtime();
  return (s - ORIGIN_S) * 1000 + (ns - ORIGIN_REST_NS) / 1e6;
}

function inheritedOriginNs(): bigint | undefined {
  const seed = (workerData as Partial<ClockSeed> | null)?.clockOriginNs;
  return typeof seed === "bigint" ? seed : undefined;
}
