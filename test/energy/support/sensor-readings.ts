import type { PowerSample } from "../../../src/energy/power-sample.ts";
import {
  lastUpdate,
  meanPowerW,
  type PowerCurve,
} from "../../../src/engine/nvidia-smi/step-power.ts";

export interface Sampling {
  /** Mean of so many ms: of the power, and of the second column where there is one. */
  readonly averagingMs: number;
  readonly instantMs?: number;
  readonly updateMs?: number;
  readonly noiseW?: number;
  /** Between readings: so long, and up to so much more. */
  readonly periodMs?: number;
  readonly jitterMs?: number;
}

/** Readings of a curve as a sensor shows them, sampled with jitter from a random phase on. */
export function sensorReadings(
  curve: PowerCurve,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  { averagingMs, instantMs, updateMs = 100, noiseW = 0.5, periodMs = 250, jitterMs = 50 }: Sampling,
  random: () => number,
): PowerSample[] {
  const samples: PowerSample[] = [];
  const phaseMs = random() * updateMs;
  const noises = new Map<string, number>();
  /** Drawn anew at each update, for each column. */
  const noiseAt = (atMs: number, windowMs: number): number => {
    const key = `${lastUpdate(atMs, updateMs)} of ${windowMs}`;
    const drawn = noises.get(key) ?? noiseW * (random() * 2 - 1);
    noises.set(key, drawn);
    return drawn;
  };
  const shown = (atMs: number, windowMs: number): number => {
    // An update is over before it is read, whatever its phase.
    const updatedMs = lastUpdate(atMs + phaseMs, updateMs) * updateMs - phaseMs;
    const meanW = meanPowerW(curve, updatedMs - windowMs, updatedMs);
    return Math.max(0, Number((meanW + noiseAt(atMs + phaseMs, windowMs)).toFixed(2)));
  };
  for (let atMs = fromMs + random() * periodMs; atMs < toMs; ) {
    const instant = instantMs === undefined ? {} : { instantW: shown(atMs, instantMs) };
    samples.push({ atMs, powerW: shown(atMs, averagingMs), ...instant });
    atMs += periodMs + random() * jitterMs;
  }
  return samples;
}
