import type { PowerSample } from "./power-sample.ts";

/** A reading of a card whose sensor is off by a known factor, as a right one would have read it. */
export function applyGain(sample: PowerSample, gain: number | undefined): PowerSample {
  if (gain === undefined || gain === 1) return sample;
  const { powerW, instantW, counterJ } = sample;
  return {
    ...sample,
    powerW: powerW * gain,
    ...(instantW === undefined ? {} : { instantW: instantW * gain }),
    ...(counterJ === undefined ? {} : { counterJ: counterJ * gain }),
  };
}
