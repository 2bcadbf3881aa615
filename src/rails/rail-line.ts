import { deviceLabel } from "./judge-window.ts";
import { gainWords } from "./rail-gain.ts";
import { averagingWords } from "./sensor-check.ts";
import type { RailFacts } from "./source.ts";

/** Which rail this is, what is in its number and what is not, on one line for people. */
export function railLine(facts: RailFacts): string {
  const { devices, covers, excludes } = facts;
  const simulated = facts.head === "sim_rail" ? "SIMULATED rail" : "GPU rail";
  const gain = gainWords(devices);
  const names = devices.map(deviceLabel).join(", ");
  return `${simulated}: ${facts.source} ${sensorWords(facts)}, ${devices.length} ${devices.length === 1 ? "device" : "devices"}: ${names}${gain === undefined ? "" : `; ${gain}`}. In it: ${covers}. Not in it: ${excludes}.`;
}

/** The power field in use and what one reading of it stands for, in words. */
export function sensorWords({ fields, sensor, sensorBasis, unmodelled }: RailFacts): string {
  if (unmodelled !== undefined) return `${fields[0]} (no plain mean: ${unmodelled})`;
  return `${fields[0]} (mean of the last ${averagingWords(sensor.averagingMs)}; ${sensorBasis})`;
}
