import type { EnergyWindow } from "./energy-window.ts";
import { flagShares } from "./flag-share.ts";

/**
 * Several windows of the same rail, one after the other, as one: joules, seconds and readings add,
 * the mean is derived again, the maximum is the largest, flag shares weigh by readings.
 *
 * Windows of several devices at the same time are `sumDevices`' work.
 *
 * @returns `undefined` for no window at all.
 */
export function sumWindows(windows: readonly EnergyWindow[]): EnergyWindow | undefined {
  if (windows.length === 0) return undefined;
  const sum = (value: (window: EnergyWindow) => number): number =>
    windows.reduce((total, window) => total + value(window), 0);

  const energyJ = sum((window) => window.energyJ);
  const windowS = sum((window) => window.windowS);
  return {
    windowS,
    samples: sum((window) => window.samples),
    energyJ,
    meanPowerW: energyJ / windowS,
    maxPowerW: windows.reduce((max, window) => Math.max(max, window.maxPowerW), 0),
    ...flagShares(
      weightedShare(windows, (window) => window.swPowerCapFrac),
      weightedShare(windows, (window) => window.hwPowerBrakeFrac),
    ),
  };
}

function weightedShare(
  windows: readonly EnergyWindow[],
  share: (window: EnergyWindow) => number | undefined,
): number | undefined {
  let reporting = 0;
  let active = 0;
  for (const window of windows) {
    const frac = share(window);
    if (frac === undefined) continue;
    reporting += window.samples;
    active += frac * window.samples;
  }
  return reporting === 0 ? undefined : active / reporting;
}
