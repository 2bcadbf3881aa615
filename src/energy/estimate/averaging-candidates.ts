import type { PowerSample } from "../power-sample.ts";
import type { Sensor } from "../sensor.ts";
import { fitPower } from "./power-fit.ts";
import { readingsBetween } from "./readings-in-order.ts";
import { sensorRows } from "./sensor-rows.ts";

/** An averaging time that readings may have, and how probable it is beside the others that may be. */
export interface AveragingCandidate {
  readonly averagingMs: number;
  /** The shares of all candidates add up to 1. */
  readonly share: number;
}

/** The declared time has known sources: another must make the readings e³, 20 times, as probable. */
const NOT_DECLARED = 3;
/** A candidate that is less probable than this is out, unless it is declared or was seen. */
const LEAST_SHARE = 0.05;

/** From here on a sensor counts as slow. */
const SLOW_MS = 500;

/** Enough to tell averaging times apart by; energy is fitted more finely. */
const BIN_MS = 100;
const ROUNDS = 8;
/** Of a longer window only the beginning is looked at, in ms. */
const LONGEST_MS = 10_000;
const MARGIN_MS = 2500;

/**
 * The averaging times with which a window's energy is to be estimated: the declared one, the one
 * that the run saw, and any that makes the readings so much more probable that the declared one may
 * be wrong. Where the readings stand still they tell nothing, and the declared one stands alone.
 *
 * @param samples - in time order.
 */
export function averagingCandidates(
  samples: readonly PowerSample[],
  startMs: number,
  endMs: number,
  sensor: Sensor,
): readonly AveragingCandidate[] {
  const { averagingMs, otherAveragingMs } = sensor;
  const given = [averagingMs, ...(otherAveragingMs === undefined ? [] : [otherAveragingMs])];
  const all = [...new Set([...given, ...mistakenFor(averagingMs)])];
  const slowestMs = Math.max(...all);
  const untilMs = Math.min(endMs, startMs + LONGEST_MS) + MARGIN_MS;
  const near = readingsBetween(samples, startMs - MARGIN_MS, untilMs);
  const scores = all.map((ms) => {
    const rows = sensorRows(near, { ...sensor, averagingMs: ms });
    const fit = fitPower(rows, {
      startMs: startMs - MARGIN_MS - slowestMs - 2 * BIN_MS - sensor.updateMs,
      endMs: untilMs,
      binMs: BIN_MS,
      rounds: ROUNDS,
    });
    return fit.logEvidence - (given.includes(ms) ? 0 : NOT_DECLARED);
  });
  return shared(all, given, scores);
}

/** Which averaging times other sensors have that this one could be mistaken for. */
function mistakenFor(averagingMs: number): readonly number[] {
  return averagingMs >= SLOW_MS ? [averagingMs / 2, 2 * averagingMs, 100] : [1000];
}

function shared(
  all: readonly number[],
  given: readonly number[],
  scores: readonly number[],
): readonly AveragingCandidate[] {
  const best = Math.max(...scores);
  const weighed = all.map((averagingMs, i) => ({
    averagingMs,
    weight: Math.exp(scores[i]! - best),
  }));
  const sum = weighed.reduce((total, { weight }) => total + weight, 0);
  const kept = weighed.filter(
    ({ averagingMs, weight }) => given.includes(averagingMs) || weight >= LEAST_SHARE * sum,
  );
  const keptSum = kept.reduce((total, { weight }) => total + weight, 0);
  return kept.map(({ averagingMs, weight }) => ({ averagingMs, share: weight / keptSum }));
}
