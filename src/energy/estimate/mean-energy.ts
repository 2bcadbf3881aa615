import type { PowerSample } from "../power-sample.ts";
import type { Sensor } from "../sensor.ts";
import { type Joules, sumOfJoules } from "./joules.ts";
import type { MeanRow } from "./mean-row.ts";
import { fitPower, type PowerFit } from "./power-fit.ts";
import { readingsBetween } from "./readings-in-order.ts";
import { sensorRows } from "./sensor-rows.ts";

/** The readings of one column, and what each of them is the mean of. */
export interface Column {
  readonly samples: readonly PowerSample[];
  readonly sensor: Sensor;
  /** Noise as a share of the reading, where it is more than that of a good column. */
  readonly noiseShare?: number;
}

/** What readings tell of a window, and how probable they are if their sensor is as it was said. */
export interface FittedEnergy extends Joules {
  readonly logEvidence: number;
}

/** Windows longer than this are fitted at their ends alone, in ms. */
const LONGEST_FIT_MS = 30_000;
/** How much of a long window each of the two ends is. */
const END_MS = 12_000;

/** So long before a window and after it, beside two averaging times, readings still help. */
const MARGIN_MS = 1500;

const ROUNDS = 30;

/**
 * The energy of a window from readings that are trailing means.
 *
 * @param columns - of the same device, the main one first; each in time order.
 * @param fitMs - the longest averaging time that will be tried on these readings, so that fits
 *   cover the same ones.
 */
export function meanEnergy(
  columns: readonly Column[],
  startMs: number,
  endMs: number,
  fitMs: number,
): FittedEnergy {
  if (endMs - startMs <= LONGEST_FIT_MS) return fitted(columns, startMs, endMs, fitMs);
  const [main] = columns;
  const rows = main === undefined ? [] : sensorRows(main.samples, main.sensor);
  const headMs = calmest(rows, startMs + END_MS);
  const tailMs = calmest(rows, endMs - END_MS);
  const head = fitted(columns, startMs, headMs, fitMs);
  const tail = fitted(columns, tailMs, endMs, fitMs);
  return {
    ...sumOfJoules([head, middle(rows, headMs, tailMs), tail]),
    logEvidence: head.logEvidence + tail.logEvidence,
  };
}

/** The fit around a window, for whoever wants more of it than energy. */
export function fitAround(
  columns: readonly Column[],
  startMs: number,
  endMs: number,
  fitMs: number,
): PowerFit {
  const marginMs = MARGIN_MS + 2 * fitMs;
  const rows = columns.flatMap(({ samples, sensor, noiseShare }) =>
    sensorRows(readingsBetween(samples, startMs - marginMs, endMs + marginMs), sensor, noiseShare),
  );
  const slowestMs = Math.max(...columns.map(({ sensor }) => sensor.averagingMs));
  return fitPower(rows, {
    startMs: startMs - marginMs - fitMs - MARGIN_MS,
    endMs: endMs + marginMs,
    binMs: slowestMs >= 500 ? 50 : 25,
    rounds: ROUNDS,
  });
}

function fitted(
  columns: readonly Column[],
  startMs: number,
  endMs: number,
  fitMs: number,
): FittedEnergy {
  const fit = fitAround(columns, startMs, endMs, fitMs);
  return { ...fit.energy(startMs, endMs), logEvidence: fit.logEvidence };
}

/** The moment within two seconds at which the readings move least. */
function calmest(rows: readonly MeanRow[], aboutMs: number): number {
  let bestMs = aboutMs;
  let leastW = Number.POSITIVE_INFINITY;
  for (let atMs = aboutMs - 2000; atMs <= aboutMs + 2000; atMs += 100) {
    const rangeW = rangeAround(rows, atMs);
    if (rangeW < leastW) [bestMs, leastW] = [atMs, rangeW];
  }
  return bestMs;
}

/** How far the readings lie apart whose intervals hold a moment, or begin soon after it, in W. */
function rangeAround(rows: readonly MeanRow[], atMs: number): number {
  const near = rows.filter(
    ({ fromMs, toMs }) => toMs >= atMs && fromMs <= atMs + (toMs - fromMs) / 2,
  );
  const watts = near.map(({ powerW }) => powerW);
  return watts.length === 0 ? 0 : Math.max(...watts) - Math.min(...watts);
}

/**
 * The middle of a long window: readings stand for the power half an averaging time before them, and
 * straight lines join them. Its error is that of the joins, which even out, and at each end at most
 * an eighth of the averaging time × how far the readings around it lie apart.
 */
function middle(rows: readonly MeanRow[], startMs: number, endMs: number): Joules {
  let energyMj = 0;
  let varianceMj = 0;
  for (let i = 1; i < rows.length; i++) {
    const before = rows[i - 1]!;
    const after = rows[i]!;
    const fromMs = centreMs(before);
    const toMs = centreMs(after);
    const cutFromMs = Math.max(fromMs, startMs);
    const cutToMs = Math.min(toMs, endMs);
    if (cutToMs <= cutFromMs) continue;
    const slope = (after.powerW - before.powerW) / (toMs - fromMs);
    const centreW = before.powerW + slope * ((cutFromMs + cutToMs) / 2 - fromMs);
    energyMj += centreW * (cutToMs - cutFromMs);
    varianceMj += ((after.powerW - before.powerW) * (cutToMs - cutFromMs)) ** 2 / 12;
  }
  const atEnds = [startMs, endMs].map((atMs) => {
    const lengthMs = rows.length === 0 ? 0 : rows[0]!.toMs - rows[0]!.fromMs;
    return (rangeAround(rows, atMs) * lengthMs) / 8;
  });
  return { meanJ: energyMj / 1000, sdJ: Math.hypot(Math.sqrt(varianceMj), ...atEnds) / 1000 };
}

function centreMs({ fromMs, toMs }: MeanRow): number {
  return (fromMs + toMs) / 2;
}
