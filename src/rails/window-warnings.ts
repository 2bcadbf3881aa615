import type { EnergyEstimate } from "../energy/energy-estimate.ts";
import type { EstimatedWindow, SecondEstimate } from "../energy/estimated-window.ts";
import type { RailFacts } from "./source.ts";

/** Of a window shorter than this many averaging times the sensor's lag is a sizeable part. */
const LONG_WINDOW = 20;

/** What does not refuse a window's figure but must be known beside it. */
export function windowWarnings(
  window: EstimatedWindow,
  { sensor, fields, unmodelled }: Pick<RailFacts, "sensor" | "fields" | "unmodelled">,
): readonly string[] {
  const { windowS, swPowerCapFrac, hwPowerBrakeFrac, estimate, second } = window;
  const averagingS = sensor.averagingMs / 1000;
  const warnings: string[] = [];
  const isShort = windowS < LONG_WINDOW * averagingS;
  // The estimate makes up for the lag; the plain integral does not. Of a sensor whose readings are no
  // plain mean the reason for the missing estimate says what they are.
  if (!estimate && sensor.kind === "average" && unmodelled === undefined && isShort)
    warnings.push(
      `there is only the plain integral, and each reading is the mean of the ${averagingS.toFixed(1)} s before it: where power rises with the window's start or falls after its end, it reads low by about half of that time × the step in watts`,
    );
  if (estimate && second && areApart(estimate, second.estimate))
    warnings.push(apartWords(fields[0] ?? "the first column", estimate, second));
  if (swPowerCapFrac)
    warnings.push(`the power cap held the GPU back in ${percent(swPowerCapFrac)} of the readings`);
  if (hwPowerBrakeFrac)
    warnings.push(
      `the hardware power brake was on in ${percent(hwPowerBrakeFrac)} of the readings`,
    );
  return warnings;
}

/** Whether two intervals have nothing in common. */
function areApart(one: EnergyEstimate, other: EnergyEstimate): boolean {
  return one.hiJ < other.loJ || other.hiJ < one.loJ;
}

function apartWords(field: string, estimate: EnergyEstimate, second: SecondEstimate): string {
  const apart = Math.abs(second.estimate.energyJ / estimate.energyJ - 1);
  return `${field} says ${joulesWords(estimate)} and ${second.field} ${joulesWords(second.estimate)}: they are ${(apart * 100).toFixed(1)} % apart, more than their intervals allow; the sensor may average over another time than it is taken to, or the two may differ in gain`;
}

function joulesWords({ energyJ, loJ, hiJ }: EnergyEstimate): string {
  const digits = energyJ < 100 ? 2 : 0;
  const [value, lo, hi] = [energyJ, loJ, hiJ].map((one) => one.toFixed(digits));
  return `${value} J (${lo} to ${hi})`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
