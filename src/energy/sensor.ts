/** What a reading of a source stands for. */
export interface Sensor {
  /** Each reading is the mean of this many ms before it; 0 for a counter. */
  readonly averagingMs: number;
  /** The source renews its reading this often, in ms. */
  readonly updateMs: number;
  /** `average`: a trailing mean; `instant`: a mean too short to matter; `counter`: joules so far. */
  readonly kind: "average" | "instant" | "counter";
  /** The run itself showed that the averaging time could be this, in ms: the interval covers both. */
  readonly otherAveragingMs?: number;
}

/**
 * How long after a change of load the readings still tell of the time before it, in ms: the
 * averaging time, one update and two sample periods.
 */
export function settleMs(sensor: Sensor, periodMs: number): number {
  return sensor.averagingMs + sensor.updateMs + 2 * periodMs;
}
