import type { PowerSample } from "../power-sample.ts";
import type { Sensor } from "../sensor.ts";
import { type Joules, sumOfJoules } from "./joules.ts";
import { calmestMs, middleEnergy } from "./middle-energy.ts";
import { fitPower } from "./power-fit.ts";
import { readingsBetween } from "./readings-in-order.ts";
import { sensorRows } from "./sensor-rows.ts";

/** The readings of one column, and what each of them is the mean of. */
export interface Column {
  readonly samples: readonly PowerSample[];
  readonly sensor: Sensor;
  /** Noise as a share of the reading, where it is more than that of a good column. */
  readonly noiseShare?: number;
}

/** Windows longer than this are fitted at their ends alone, in ms. */
const LONGEST_FIT_MS = 30_000;
/** How much of a long window each of the two ends is. */
const END_MS = 12_000;

/** So long before a window and after it, beside an averaging time, readings still help. */
const MARGIN_MS = 1500;

/** The power is constant for so long, where readings are slow and where they are not. */
const SLOW_BIN_MS = 50;
const FAST_BIN_MS = 25;
const SLOW_MS = 500;

const ROUNDS = 12;

/**
 * The energy of a window from readings that are trailing means.
 *
 * @param columns - of the same device, the main one first; each in time order.
 */
export function meanEnergy(columns: readonly Column[], startMs: number, endMs: number): Joules {
  if (endMs - startMs <= LONGEST_FIT_MS) return fittedEnergy(columns, startMs, endMs);
  const [main] = columns;
  const rows = main === undefined ? [] : sensorRows(main.samples, main.sensor);
  const headMs = calmestMs(rows, startMs + END_MS);
  const tailMs = calmestMs(rows, endMs - END_MS);
  return sumOfJoules([
    fittedEnergy(columns, startMs, headMs),
    middleEnergy(rows, headMs, tailMs),
    fittedEnergy(columns, tailMs, endMs),
  ]);
}

function fittedEnergy(columns: readonly Column[], startMs: number, endMs: number): Joules {
  const slowestMs = Math.max(...columns.map(({ sensor }) => sensor.averagingMs));
  const marginMs = MARGIN_MS + slowestMs;
  const rows = columns.flatMap(({ samples, sensor, noiseShare }) =>
    sensorRows(readingsBetween(samples, startMs - marginMs, endMs + marginMs), sensor, noiseShare),
  );
  const fit = fitPower(rows, {
    startMs: Math.min(startMs, ...rows.map(({ fromMs }) => fromMs)) - SLOW_BIN_MS,
    endMs: endMs + marginMs,
    binMs: slowestMs >= SLOW_MS ? SLOW_BIN_MS : FAST_BIN_MS,
    rounds: ROUNDS,
  });
  return fit.energy(startMs, endMs);
}
