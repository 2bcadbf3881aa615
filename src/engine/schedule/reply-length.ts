import { uniformAt } from "./keys.ts";

/** Spread of the logarithm of reply lengths: two thirds lie between 0.55 and 1.8 times the median. */
const SIGMA = 0.6;

/** Places under a reply's key that its draft tokens never come to. */
const RADIUS_PLACE = -1;
const ANGLE_PLACE = -2;

/** At how many tokens a reply ends by itself, at least 1: lognormal about the profile's median. */
export function naturalReplyLength(medianTokens: number, key: number): number {
  const radius = Math.sqrt(-2 * Math.log(1 - uniformAt(key, RADIUS_PLACE)));
  const normal = radius * Math.cos(2 * Math.PI * uniformAt(key, ANGLE_PLACE));
  return Math.max(1, Math.round(medianTokens * Math.exp(SIGMA * normal)));
}
