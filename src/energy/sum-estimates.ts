import type { EnergyEstimate, EstimateMethod } from "./energy-estimate.ts";

/** The one that says least first. */
const WORST_FIRST: readonly EstimateMethod[] = [
  "moving_edges",
  "quiet_edges",
  "instant",
  "counter",
];

/**
 * Estimates of several devices or of several windows as one: joules add, and so do the half-widths
 * of the intervals, each side by itself.
 *
 * Half-widths would add by their squares if the errors had nothing to do with each other. They have:
 * a wrong averaging time moves all of them the same way.
 *
 * @returns `undefined` for no estimate at all. The method is the one of them that says least.
 */
export function sumEstimates(estimates: readonly EnergyEstimate[]): EnergyEstimate | undefined {
  const [first, ...more] = estimates;
  if (first === undefined || more.length === 0) return first;
  const sum = (value: (estimate: EnergyEstimate) => number): number =>
    estimates.reduce((total, estimate) => total + value(estimate), 0);
  const methods = estimates.map(({ method }) => method);
  return {
    energyJ: sum(({ energyJ }) => energyJ),
    // Where the joules add, ends that add are half-widths that add.
    loJ: sum(({ loJ }) => loJ),
    hiJ: sum(({ hiJ }) => hiJ),
    method: WORST_FIRST.find((method) => methods.includes(method))!,
  };
}
