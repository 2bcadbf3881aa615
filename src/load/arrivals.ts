import { seededRandom } from "../stats/seeded-random.ts";

/** Due times at a constant rate: exactly `1000 / ratePerS` ms apart, from 0 on. */
export function constantArrivals(ratePerS: number, count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => (i * 1000) / ratePerS);
}

/**
 * Due times of a Poisson process: gaps are exponential with a mean of `1000 / ratePerS` ms, and the
 * first request is due after such a gap too.
 *
 * @param seed - the same seed gives the same times on every machine.
 */
export function poissonArrivals(ratePerS: number, count: number, seed: number): Float64Array {
  const random = seededRandom(seed, 0);
  const dueMs = new Float64Array(count);
  let atMs = 0;
  for (let i = 0; i < count; i++) {
    // 1 − u lies in (0, 1], so that the logarithm is finite.
    atMs += (-Math.log(1 - random()) * 1000) / ratePerS;
    dueMs[i] = atMs;
  }
  return dueMs;
}
