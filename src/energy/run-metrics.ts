import type { EnergyWindow } from "./energy-window.ts";
import { finiteSorted, type Metrics } from "./metrics.ts";
import type { RailHead } from "./rail-head.ts";
import type { SamplerCost } from "./sampler-cost.ts";

/** What a whole run knows of its rail, beside its windows. */
export interface RunRailFacts {
  /** The sample period that was asked for, in ms. */
  readonly samplePeriodMs: number;
  /** What the readings of all devices were multiplied with; absent where it was not one factor. */
  readonly gain?: number | undefined;
  readonly idle?: EnergyWindow | undefined;
  /** Known only when the sampler has been stopped. */
  readonly cost?: SamplerCost | undefined;
}

/** The figures of a run's rail as flat keys, sorted, finite numbers only. */
export function runMetrics(
  { samplePeriodMs, gain, idle, cost }: RunRailFacts,
  rail: RailHead = "gpu_rail",
): Metrics {
  return finiteSorted({
    [`${rail}_idle_power_w`]: idle?.meanPowerW,
    [`${rail}_idle_power_samples`]: idle?.samples,
    [`${rail}_gain`]: gain,
    [`${rail}_sample_period_ms`]: samplePeriodMs,
    [`${rail}_sampler_cpu_s`]: cost?.cpuS,
    [`${rail}_sampler_reader_cpu_s`]: cost?.readerCpuS,
    [`${rail}_sampler_wall_s`]: cost?.wallS,
    [`${rail}_sampler_rejected_lines`]: cost?.rejectedLines || undefined,
  });
}
