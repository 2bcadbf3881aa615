import type { EnergyWindow } from "../energy/energy-window.ts";
import type { RailFacts } from "./source.ts";

/** Of a window shorter than this many averaging times the sensor's lag is a sizeable part. */
const LONG_WINDOW = 20;

/** What does not refuse a window's figure but must be known beside it. */
export function windowWarnings(
  { windowS, swPowerCapFrac, hwPowerBrakeFrac }: EnergyWindow,
  { sensor }: Pick<RailFacts, "sensor">,
): readonly string[] {
  const averagingS = sensor.averagingMs / 1000;
  const warnings: string[] = [];
  if (sensor.kind === "average" && windowS < LONG_WINDOW * averagingS)
    warnings.push(
      `each reading is the mean of the ${averagingS.toFixed(1)} s before it: where power rises with the window's start or falls after its end, the energy reads low by about half of that time × the step in watts`,
    );
  if (swPowerCapFrac)
    warnings.push(`the power cap held the GPU back in ${percent(swPowerCapFrac)} of the readings`);
  if (hwPowerBrakeFrac)
    warnings.push(
      `the hardware power brake was on in ${percent(hwPowerBrakeFrac)} of the readings`,
    );
  return warnings;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
