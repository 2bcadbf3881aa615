/** One reading of one device, stamped with the run's monotonic clock when it arrived. */
export interface PowerSample {
  /** When the reading arrived, in ms on the run's clock. */
  readonly atMs: number;
  /** What the source said, in watts: finite and ≥ 0. */
  readonly powerW: number;
  /** Whether the software power cap held the device back; absent when the source did not say. */
  readonly swPowerCap?: boolean;
  /** Whether the hardware power brake was on; absent when the source did not say. */
  readonly hwPowerBrake?: boolean;
  /** Joules since some moment of the past, where the source counts them. */
  readonly counterJ?: number;
  /** Which device, by the name that stays the same for the whole run (a GPU's uuid). */
  readonly device?: string;
  /** `power.draw.instant` of the same line, in watts, where it was asked for beside `powerW`. */
  readonly instantW?: number;
}
