/** Averaging times that are tried, in ms: in steps of 10, then 25, then 50, up to 3 s. */
export const CANDIDATES_MS: readonly number[] = [
  ...steps(10, 100, 10),
  ...steps(125, 500, 25),
  ...steps(550, 3000, 50),
];

/** One candidate with the sum of squares that it leaves. */
export interface Fit {
  readonly averagingMs: number;
  readonly residual: number;
}

/** The candidate that fits best, with the shortest and the longest that fit about as well. */
export interface FitRange {
  readonly averagingMs: number;
  readonly loMs: number;
  readonly hiMs: number;
}

/**
 * @param fits - of all candidates, in ascending order.
 * @param floor - a residual that rounding and the time between readings explain by themselves.
 */
export function fitRange(fits: readonly Fit[], floor: number): FitRange {
  const best = fits.reduce((a, b) => (b.residual < a.residual ? b : a));
  // Errors of neighbouring readings have one cause, so the usual limit of 1 + 4/n is too narrow.
  const limit = 2 * best.residual + floor;
  const good = fits.filter(({ residual }) => residual <= limit);
  return {
    averagingMs: best.averagingMs,
    loMs: good[0]!.averagingMs,
    hiMs: good.at(-1)!.averagingMs,
  };
}

function steps(from: number, to: number, by: number): readonly number[] {
  return Array.from({ length: Math.round((to - from) / by) + 1 }, (_, i) => from + i * by);
}
