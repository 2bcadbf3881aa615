/** What it cost to read a rail: the sampler is part of what it measures. */
export interface SamplerCost {
  /** CPU seconds of the sampler's process, all threads; absent where the system does not tell. */
  readonly cpuS?: number;
  /** CPU seconds of the thread that reads it; absent where the system does not tell. */
  readonly readerCpuS?: number;
  /** How long the sampler ran, in seconds. */
  readonly wallS: number;
  /** Readings taken, of all devices. */
  readonly samples: number;
  /** Lines that were no reading: `[N/A]`, error texts, torn or glued lines. */
  readonly rejectedLines: number;
}
