/** The energy that a window really took, as far as its readings tell. */
export interface EnergyEstimate {
  readonly energyJ: number;
  /** The 95 % interval, in J; the sensor's own gain error is not in it. */
  readonly loJ: number;
  readonly hiJ: number;
  readonly method: EstimateMethod;
}

/**
 * How an estimate was made; docs/method.md has the formulas.
 *
 * `quiet_edges`: the power stood still around both edges of the window. `moving_edges`: around one
 * at least it moved, and the interval is wider for it. `instant` and `counter`: by the kind of the
 * sensor.
 */
export type EstimateMethod = "quiet_edges" | "moving_edges" | "instant" | "counter";
