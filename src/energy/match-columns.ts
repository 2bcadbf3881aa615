import { CANDIDATES_MS, type Fit, type FitRange, fitRange } from "./averaging-candidates.ts";
import type { MeasuredAveraging } from "./measure-averaging.ts";
import type { PowerSample } from "./power-sample.ts";
import type { Sensor } from "./sensor.ts";

/** Readings further apart than this, in ms, say nothing about the time between them. */
const GAP_MS = 1000;

/** The columns may lie so far apart in time, in ms: each is itself a mean and has an age. */
const SHIFTS_MS = [-150, -100, -50, 0, 50, 100];

/** A move of the reading that is smaller than this, in W, tells nothing. */
const LEAST_MOVE_W = 15;

/** Errors of this share of the step are those of rounding and of the readings' age, */
const FLOOR_SHARE = 0.005;
/** and as many more, in proportion, those of the time between readings: here of 250 ms. */
const PERIOD_SHARE = 0.01;

/**
 * The averaging time with which a trailing mean of `instantW` looks like `powerW`; it does not
 * depend on what the load did.
 *
 * @returns `undefined` without a second column, and where every averaging time would fit.
 */
export function matchColumns(
  samples: readonly PowerSample[],
  second: Sensor | undefined,
): MeasuredAveraging | undefined {
  if (second === undefined) return undefined;
  const curve = new InstantCurve(samples);
  const longestMs = CANDIDATES_MS.at(-1)! + 150;
  const told = samples.filter(({ atMs }) => curve.covers(atMs - longestMs, atMs));
  const powersW = told.map(({ powerW }) => powerW);
  const moveW = Math.max(...powersW) - Math.min(...powersW);
  if (told.length < 8 || moveW < LEAST_MOVE_W) return undefined;
  const fits = CANDIDATES_MS.map((averagingMs) => ({
    averagingMs,
    residual: Math.min(...SHIFTS_MS.map((shiftMs) => residual(told, curve, averagingMs, shiftMs))),
  }));
  const range = fitRange(fits, told.length * (floorShare(told) * moveW) ** 2);
  if (isUntold(range.hiMs, fits)) return undefined;
  return { ...atLeastAsLongAs(second, range), how: "second_column" };
}

function floorShare(told: readonly PowerSample[]): number {
  const periodMs = (told.at(-1)!.atMs - told[0]!.atMs) / (told.length - 1);
  return FLOOR_SHARE + PERIOD_SHARE * Math.min(1, periodMs / 250);
}

/** Means that are not longer than those of the second column look like it, and like each other. */
function atLeastAsLongAs({ averagingMs, updateMs }: Sensor, range: FitRange): FitRange {
  const blindMs = averagingMs + updateMs;
  return {
    averagingMs: Math.max(range.averagingMs, averagingMs),
    loMs: range.loMs <= blindMs ? 0 : range.loMs,
    hiMs: Math.max(range.hiMs, blindMs),
  };
}

/** The longest candidate fits: nothing moved enough. */
function isUntold(hiMs: number, fits: readonly Fit[]): boolean {
  return hiMs === fits.at(-1)!.averagingMs;
}

function residual(
  told: readonly PowerSample[],
  curve: InstantCurve,
  averagingMs: number,
  shiftMs: number,
): number {
  let sum = 0;
  for (const { atMs, powerW } of told) {
    sum += (powerW - curve.meanW(atMs - shiftMs - averagingMs, atMs - shiftMs)) ** 2;
  }
  return sum;
}

/** The second column as a curve of straight lines from reading to reading. */
class InstantCurve {
  readonly #atMs: number[] = [];
  readonly #powerW: number[] = [];
  /** W × ms up to each reading. */
  readonly #sums: number[] = [];
  readonly #gapsAtMs: number[] = [];

  constructor(samples: readonly PowerSample[]) {
    for (const { atMs, instantW } of samples) {
      const beforeMs = this.#atMs.at(-1);
      if (instantW === undefined || (beforeMs !== undefined && atMs <= beforeMs)) continue;
      const spanMs = beforeMs === undefined ? 0 : atMs - beforeMs;
      if (spanMs > GAP_MS) this.#gapsAtMs.push(atMs);
      const beforeW = this.#powerW.at(-1) ?? instantW;
      this.#sums.push((this.#sums.at(-1) ?? 0) + ((beforeW + instantW) / 2) * spanMs);
      this.#atMs.push(atMs);
      this.#powerW.push(instantW);
    }
  }

  /** Whether there are readings all the way. */
  covers(fromMs: number, toMs: number): boolean {
    const { length } = this.#atMs;
    if (length === 0 || this.#atMs[0]! > fromMs || this.#atMs[length - 1]! < toMs) return false;
    return !this.#gapsAtMs.some((atMs) => atMs > fromMs && atMs <= toMs);
  }

  meanW(fromMs: number, toMs: number): number {
    return (this.#sumUntil(toMs) - this.#sumUntil(fromMs)) / (toMs - fromMs);
  }

  #sumUntil(atMs: number): number {
    let low = 0;
    let high = this.#atMs.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#atMs[middle]! <= atMs) low = middle;
      else high = middle - 1;
    }
    const powerW = this.#powerW[low]!;
    const sinceMs = atMs - this.#atMs[low]!;
    const nextMs = this.#atMs[low + 1];
    const slope =
      nextMs === undefined ? 0 : (this.#powerW[low + 1]! - powerW) / (nextMs - this.#atMs[low]!);
    return this.#sums[low]! + powerW * sinceMs + (slope * sinceMs ** 2) / 2;
  }
}
