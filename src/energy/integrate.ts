import type { EnergyWindow } from "./energy-window.ts";
import { flagShares, shareOfTrue } from "./flag-share.ts";
import type { PowerSample } from "./power-sample.ts";

/**
 * The plain integral of one device's readings over a window: each reading is held to the next one,
 * the first back to the start, the last on to the end.
 *
 * It takes the readings as they come. A sensor that reports the mean of the last second makes it
 * read low in a window that starts with the load; see docs/method.md.
 *
 * @param samples - one device's readings in time order. Those outside the window do not count.
 * @returns `undefined` when the window is empty or without end, no reading lies inside it, or what
 *   lies there is no number: never 0 J.
 */
export function integrate(
  samples: readonly PowerSample[],
  startMs: number,
  endMs: number,
): EnergyWindow | undefined {
  const inside = samplesInside(samples, startMs, endMs);
  if (!(endMs > startMs) || inside.length === 0) return undefined;

  let energyMj = 0;
  let maxPowerW = 0;
  for (const [i, sample] of inside.entries()) {
    const fromMs = i === 0 ? startMs : sample.atMs;
    const toMs = inside[i + 1]?.atMs ?? endMs;
    energyMj += sample.powerW * (toMs - fromMs);
    maxPowerW = Math.max(maxPowerW, sample.powerW);
  }
  const windowS = (endMs - startMs) / 1000;
  const energyJ = energyMj / 1000;
  if (!Number.isFinite(energyJ) || !Number.isFinite(windowS)) return undefined;
  return {
    windowS,
    samples: inside.length,
    energyJ,
    meanPowerW: energyJ / windowS,
    maxPowerW,
    ...flagShares(
      shareOfTrue(inside.map((sample) => sample.swPowerCap)),
      shareOfTrue(inside.map((sample) => sample.hwPowerBrake)),
    ),
  };
}

/** The readings of a window, both edges included. */
export function samplesInside(
  samples: readonly PowerSample[],
  startMs: number,
  endMs: number,
): readonly PowerSample[] {
  return samples.filter((sample) => sample.atMs >= startMs && sample.atMs <= endMs);
}
