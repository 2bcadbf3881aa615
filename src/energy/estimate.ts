import type { EnergyEstimate } from "./energy-estimate.ts";
import type { PowerSample } from "./power-sample.ts";
import { type Refusal, refusal } from "./rail-refusal.ts";
import type { Sensor } from "./sensor.ts";

export interface EstimateOptions {
  /** Another column or source that reads the same device: it sharpens the edges. */
  readonly second?: { readonly samples: readonly PowerSample[]; readonly sensor: Sensor };
}

/**
 * The energy that one device really took in a window, with its 95 % interval, from readings of a
 * sensor that lags, averages, repeats itself or skips.
 *
 * @param samples - one device's readings in time order, with those around the window.
 * @returns `undefined` where the readings do not tell; `explainedEstimate` says why.
 */
export function estimate(
  samples: readonly PowerSample[],
  startMs: number,
  endMs: number,
  sensor: Sensor,
  options: EstimateOptions = {},
): EnergyEstimate | undefined {
  const found = explainedEstimate(samples, startMs, endMs, sensor, options);
  return "reason" in found ? undefined : found;
}

/** `estimate`, with the reason in the place of an estimate that cannot be. */
export function explainedEstimate(
  samples: readonly PowerSample[],
  startMs: number,
  endMs: number,
  sensor: Sensor,
  _options: EstimateOptions = {},
): EnergyEstimate | Refusal {
  const lagMs = sensor.averagingMs / 2 + sensor.updateMs / 2;
  let energyMj = 0;
  for (const [i, { atMs, powerW }] of samples.entries()) {
    const fromMs = Math.max(startMs, atMs - lagMs);
    const toMs = Math.min(endMs, (samples[i + 1]?.atMs ?? atMs) - lagMs);
    if (toMs > fromMs) energyMj += powerW * (toMs - fromMs);
  }
  if (energyMj === 0) return refusal("rail_no_samples", "no reading lies around the window");
  const energyJ = energyMj / 1000;
  return { energyJ, loJ: energyJ * 0.9, hiJ: energyJ * 1.1, method: "moving_edges" };
}
