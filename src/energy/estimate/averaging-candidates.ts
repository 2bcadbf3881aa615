import type { PowerSample } from "../power-sample.ts";
import type { Sensor } from "../sensor.ts";
import { fitPower } from "./power-fit.ts";
import { readingsBetween } from "./readings-in-order.ts";
import { sensorRows } from "./sensor-rows.ts";

/** An averaging time that readings may have, and what part it has in the energy. */
export interface AveragingCandidate {
  readonly averagingMs: number;
  /**
   * How probable it is among the declared time and the one that the run saw, together 1. Any other
   * has no part in the energy, it widens the interval.
   */
  readonly share: number;
}

/** A candidate that is less probable than this is out, unless it is declared or was seen. */
const LEAST_SHARE = 0.4;

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
 * be wrong. Where the readings stand still they tell little of it, and every one gives the same energy.
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
  const others = mistakenFor(averagingMs).filter(({ averagingMs: ms }) => !given.includes(ms));
  const all = [...given.map((ms) => ({ averagingMs: ms, handicap: 0 })), ...others];
  const slowestMs = Math.max(...all.map(({ averagingMs: ms }) => ms));
  const untilMs = Math.min(endMs, startMs + LONGEST_MS) + MARGIN_MS;
  const near = readingsBetween(samples, startMs - MARGIN_MS, untilMs);
  const scores = all.map(({ averagingMs: ms, handicap }) => {
    const rows = sensorRows(near, { ...sensor, averagingMs: ms });
    const fit = fitPower(rows, {
      startMs: startMs - MARGIN_MS - slowestMs - 2 * BIN_MS - sensor.updateMs,
      endMs: untilMs,
      binMs: BIN_MS,
      rounds: ROUNDS,
    });
    return { averagingMs: ms, score: fit.logEvidence - handicap };
  });
  return shared(scores, given);
}

/**
 * Which averaging times other sensors have that this one could be mistaken for. The declared time
 * has known sources, so another has a handicap, in units of the logarithm of a probability: a little
 * more than what readings of the declared one gave it by chance on simulated loads. Short bursts
 * look most like a faster sensor.
 */
function mistakenFor(
  averagingMs: number,
): readonly { readonly averagingMs: number; readonly handicap: number }[] {
  if (averagingMs < SLOW_MS) return [{ averagingMs: 1000, handicap: 2.5 }];
  return [
    { averagingMs: averagingMs / 2, handicap: 4.5 },
    { averagingMs: 2 * averagingMs, handicap: 1.5 },
    { averagingMs: 100, handicap: 8 },
  ];
}

function shared(
  scores: readonly { readonly averagingMs: number; readonly score: number }[],
  given: readonly number[],
): readonly AveragingCandidate[] {
  const best = Math.max(...scores.map(({ score }) => score));
  const weighed = scores.map(({ averagingMs, score }) => ({
    averagingMs,
    weight: Math.exp(score - best),
  }));
  const sum = weighed.reduce((total, { weight }) => total + weight, 0);
  const kept = weighed.filter(
    ({ averagingMs, weight }) => given.includes(averagingMs) || weight >= LEAST_SHARE * sum,
  );
  const givenSum = kept.reduce(
    (total, { averagingMs, weight }) => total + (given.includes(averagingMs) ? weight : 0),
    0,
  );
  return kept.map(({ averagingMs, weight }) => ({
    averagingMs,
    share: given.includes(averagingMs) ? weight / givenSum : 0,
  }));
}
