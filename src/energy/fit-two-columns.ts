import { studentT95 } from "../stats/student-t.ts";

/** Two-sided 95 % quantile of the normal distribution. */
export const NORMAL_95 = 1.959964;

/** One equation a·x + b·y = 1, true but for a relative error. */
export interface TwoColumnRow {
  readonly x: number;
  readonly y: number;
  /** The standard deviation of its error as far as it is known beforehand; else 0. */
  readonly sd: number;
}

/** The factor of one column, and how far its true value may lie from it with 95 %. */
export interface FittedFactor {
  readonly value: number;
  readonly halfWidth: number;
}

/** How hard it is to tell the columns apart: 1 where they stand at right angles. */
export function conditionNumber(rows: readonly TwoColumnRow[]): number {
  const { xx, xy, yy } = products(rows);
  const cosine = Math.min(1, Math.abs(xy) / Math.sqrt(xx * yy));
  return Math.sqrt((1 + cosine) / (1 - cosine));
}

/**
 * Least squares of a·x + b·y = 1 without intercept. The interval is Student's, from what is left
 * over with n − 2 degrees of freedom, and never narrower than the known errors alone make it.
 *
 * @param rows - at least three, whose columns can be told apart.
 */
export function fitTwoColumns(
  rows: readonly TwoColumnRow[],
): readonly [FittedFactor, FittedFactor] {
  const { xx, xy, yy } = products(rows);
  const determinant = xx * yy - xy * xy;
  const inverse = { xx: yy / determinant, xy: -xy / determinant, yy: xx / determinant };
  // How much each row's right side moves each factor.
  const pulls = rows.map(({ x, y }) => [
    inverse.xx * x + inverse.xy * y,
    inverse.xy * x + inverse.yy * y,
  ]);
  const [a, b] = [0, 1].map((k) => sumOf(pulls.map((pull) => pull[k]!))) as [number, number];
  const left = sumOf(rows.map(({ x, y }) => (1 - a * x - b * y) ** 2));
  const degrees = rows.length - 2;
  const [halfA, halfB] = [inverse.xx, inverse.yy].map((own, k) => {
    const known = sumOf(rows.map(({ sd }, i) => (pulls[i]![k]! * sd) ** 2));
    return Math.max(
      studentT95(degrees) * Math.sqrt((left / degrees) * own),
      NORMAL_95 * Math.sqrt(known),
    );
  }) as [number, number];
  return [
    { value: a, halfWidth: halfA },
    { value: b, halfWidth: halfB },
  ];
}

function products(rows: readonly TwoColumnRow[]) {
  return {
    xx: sumOf(rows.map(({ x }) => x * x)),
    xy: sumOf(rows.map(({ x, y }) => x * y)),
    yy: sumOf(rows.map(({ y }) => y * y)),
  };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
