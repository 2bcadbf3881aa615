import type { Sensor } from "../sensor.ts";
import type { Joules } from "./joules.ts";
import type { FittedEnergy } from "./mean-energy.ts";

/** An averaging time that readings may have. */
export interface AveragingCandidate {
  readonly averagingMs: number;
  /** How much less probable it is from the start: the declared one has known sources. */
  readonly handicap: number;
  /** Its interval counts whatever the readings say. */
  readonly isGiven: boolean;
}

/** In units of the logarithm of a probability: e³ is 20 to 1. */
const NOT_DECLARED = 3;
/** A candidate that is less probable than this is out. */
const LEAST_PROBABLE = 0.05;

/** From here on a sensor counts as slow. */
const SLOW_MS = 500;

/**
 * The declared averaging time, those that would be mistaken for it, and the one that the run saw.
 */
export function averagingCandidates({
  averagingMs,
  otherAveragingMs,
}: Sensor): readonly AveragingCandidate[] {
  const guessed = averagingMs >= SLOW_MS ? [averagingMs / 2, 2 * averagingMs, 100] : [1000];
  const given = [averagingMs, ...(otherAveragingMs === undefined ? [] : [otherAveragingMs])];
  return [
    ...given.map((ms) => ({ averagingMs: ms, handicap: 0, isGiven: true })),
    ...guessed
      .filter((ms) => !given.includes(ms))
      .map((ms) => ({ averagingMs: ms, handicap: NOT_DECLARED, isGiven: false })),
  ];
}

/** The energy over all candidates by how probable they make the readings, and those that count. */
export function mixed(fitted: readonly (AveragingCandidate & FittedEnergy)[]): {
  readonly joules: readonly Joules[];
  readonly bestJ: number;
} {
  const scores = fitted.map(({ logEvidence, handicap }) => logEvidence - handicap);
  const best = Math.max(...scores);
  const weights = scores.map((score) => Math.exp(score - best));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const shares = weights.map((weight) => weight / sum);
  const counting = fitted.filter(({ isGiven }, i) => isGiven || shares[i]! >= LEAST_PROBABLE);
  const countingShare = fitted.reduce(
    (total, one, i) => total + (counting.includes(one) ? shares[i]! : 0),
    0,
  );
  const bestJ = fitted.reduce(
    (total, one, i) =>
      total + (counting.includes(one) ? (shares[i]! / countingShare) * one.meanJ : 0),
    0,
  );
  return { joules: counting, bestJ };
}
