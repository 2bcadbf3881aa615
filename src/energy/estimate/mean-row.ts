/** What one reading says: the mean power of an interval, with what is unsure about it. */
export interface MeanRow {
  /** The interval, in ms. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly powerW: number;
  /** By how much the interval may be shifted: its standard deviation, in ms. */
  readonly shiftSdMs: number;
  /** Standard deviation of the watts themselves. */
  readonly noiseW: number;
}
