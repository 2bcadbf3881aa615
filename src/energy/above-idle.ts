import type { EnergyWindow } from "./energy-window.ts";

/**
 * What a window took beyond what the idle machine would have taken in the same time, in joules.
 *
 * Negative when the window drew less than the baseline; it is not clamped, so that such a surprise
 * is seen.
 *
 * @param idle - a window with the model loaded and nothing in flight.
 */
export function aboveIdleJ(
  window: Pick<EnergyWindow, "energyJ" | "windowS">,
  idle: Pick<EnergyWindow, "meanPowerW">,
): number {
  return window.energyJ - idle.meanPowerW * window.windowS;
}
