import { aboveIdleJ } from "./above-idle.ts";
import type { EnergyWindow } from "./energy-window.ts";
import type { EstimatedWindow } from "./estimated-window.ts";
import type { SamplerCost } from "./sampler-cost.ts";

/** A window on one line, for people: the estimate first, where there is one. */
export function windowLine(
  window: EstimatedWindow,
  idle?: Pick<EnergyWindow, "meanPowerW"> | undefined,
): string {
  const parts = [
    `${energyWords(window)} over ${window.windowS.toFixed(2)} s`,
    `mean ${window.meanPowerW.toFixed(1)} W`,
    `max ${window.maxPowerW.toFixed(1)} W`,
    `${window.samples} readings`,
  ];
  const best = { ...window, energyJ: window.estimate?.energyJ ?? window.energyJ };
  if (idle) parts.push(`${aboveIdleJ(best, idle).toFixed(1)} J above idle`);
  if (window.swPowerCapFrac) parts.push(`power cap in ${percent(window.swPowerCapFrac)}`);
  if (window.hwPowerBrakeFrac) parts.push(`HW power brake in ${percent(window.hwPowerBrakeFrac)}`);
  return parts.join(", ");
}

function energyWords({ energyJ, estimate, second }: EstimatedWindow): string {
  const plain = `${energyJ.toFixed(1)} J`;
  if (estimate === undefined) return `energy ${plain}`;
  const [value, lo, hi] = [estimate.energyJ, estimate.loJ, estimate.hiJ].map((j) => j.toFixed(1));
  const beside = second ? `, ${second.field} ${second.estimate.energyJ.toFixed(1)} J` : "";
  return `energy ${value} J (${lo} to ${hi})${beside}, plain integral ${plain}`;
}

/** The idle baseline on one line, for people. */
export function idleLine(idle: EnergyWindow): string {
  return `idle ${idle.meanPowerW.toFixed(1)} W over ${idle.windowS.toFixed(1)} s (${idle.samples} readings)`;
}

/** What the sampler cost, on one line, for people. */
export function samplerCostLine(cost: SamplerCost): string {
  const parts = [
    cost.cpuS === undefined
      ? "CPU time not known"
      : `${cost.cpuS.toFixed(2)} s CPU (${percent(cost.cpuS / cost.wallS, 2)} of a core)`,
    `over ${cost.wallS.toFixed(1)} s`,
    `${cost.samples} readings`,
  ];
  if (cost.rejectedLines > 0)
    parts.push(`${cost.rejectedLines} ${cost.rejectedLines === 1 ? "line" : "lines"} rejected`);
  return `sampler: ${parts.join(", ")}`;
}

function percent(share: number, digits = 0): string {
  return `${(share * 100).toFixed(digits)} %`;
}
