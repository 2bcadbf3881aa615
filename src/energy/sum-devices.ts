import type { EnergyWindow } from "./energy-window.ts";
import { flagShares } from "./flag-share.ts";
import { integrate, samplesInside } from "./integrate.ts";
import type { PowerSample } from "./power-sample.ts";

/**
 * The energy of several devices over the same window: each is integrated by itself, the joules add.
 *
 * @param series - one array of readings for each device, each in time order.
 * @returns `undefined` when there is no device, or when any device has no reading in the window: a
 *   smaller sum would look like a saving. `samples` counts the readings of all devices, `maxPowerW`
 *   is the largest sum of the held readings at one time, a flag's share is the largest of the
 *   devices'.
 */
export function sumDevices(
  series: readonly (readonly PowerSample[])[],
  startMs: number,
  endMs: number,
): EnergyWindow | undefined {
  const windows = series.map((samples) => integrate(samples, startMs, endMs));
  const known = windows.filter((window) => window !== undefined);
  const first = known[0];
  if (first === undefined || known.length < windows.length) return undefined;
  if (known.length === 1) return first;

  const energyJ = sumOf(known.map((window) => window.energyJ));
  return {
    windowS: first.windowS,
    samples: sumOf(known.map((window) => window.samples)),
    energyJ,
    meanPowerW: energyJ / first.windowS,
    maxPowerW: maxOfSum(series.map((samples) => samplesInside(samples, startMs, endMs))),
    ...flagShares(
      largest(known.map((window) => window.swPowerCapFrac)),
      largest(known.map((window) => window.hwPowerBrakeFrac)),
    ),
  };
}

/** Largest sum of the devices' held readings at any one time; every series has a reading. */
function maxOfSum(series: readonly (readonly PowerSample[])[]): number {
  const heldW = series.map((samples) => samples[0]?.powerW ?? 0);
  const changes = series
    .flatMap((samples, device) => samples.map(({ atMs, powerW }) => ({ atMs, powerW, device })))
    .toSorted((a, b) => a.atMs - b.atMs);

  let maxW = 0;
  for (const [i, change] of changes.entries()) {
    heldW[change.device] = change.powerW;
    // Readings of the same instant replace their devices together, before the sum is looked at.
    if (changes[i + 1]?.atMs !== change.atMs) maxW = Math.max(maxW, sumOf(heldW));
  }
  return maxW;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function largest(shares: readonly (number | undefined)[]): number | undefined {
  const known = shares.filter((share) => share !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
