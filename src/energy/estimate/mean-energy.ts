import type { PowerSample } from "../power-sample.ts";
import type { Sensor } from "../sensor.ts";
import { energyToQuiet, type FittedEnergy, type QuietSides } from "./energy-to-quiet.ts";
import { sumOfJoules } from "./joules.ts";
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
 * @returns with `isQuiet`, whether both edges were taken as quiet.
 */
export function meanEnergy(
  columns: readonly Column[],
  startMs: number,
  endMs: number,
  quiet: QuietSides,
): FittedEnergy {
  if (endMs - startMs <= LONGEST_FIT_MS) return fittedEnergy(columns, startMs, endMs, quiet);
  const [main] = columns;
  const rows = main === undefined ? [] : sensorRows(main.samples, main.sensor);
  const headMs = calmestMs(rows, startMs + END_MS);
  const tailMs = calmestMs(rows, endMs - END_MS);
  const { beforeW, afterW, tickMs } = quiet;
  const [head, tail] = [
    fittedEnergy(columns, startMs, headMs, {
      ...(beforeW === undefined ? {} : { beforeW }),
      tickMs,
    }),
    fittedEnergy(columns, tailMs, endMs, { ...(afterW === undefined ? {} : { afterW }), tickMs }),
  ];
  const middle = middleEnergy(rows, headMs, tailMs);
  return {
    ...sumOfJoules([head, middle, tail]),
    isQuietBefore: head.isQuietBefore,
    isQuietAfter: tail.isQuietAfter,
    ...(head.ifQuiet === undefined && tail.ifQuiet === undefined
      ? {}
      : { ifQuiet: sumOfJoules([head.ifQuiet ?? head, middle, tail.ifQuiet ?? tail]) }),
  };
}

function fittedEnergy(
  columns: readonly Column[],
  startMs: number,
  endMs: number,
  quiet: QuietSides,
): FittedEnergy {
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
  return energyToQuiet(fit, startMs, endMs, quiet);
}
