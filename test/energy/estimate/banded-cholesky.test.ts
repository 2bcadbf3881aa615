import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BandedCholesky } from "../../../src/energy/estimate/banded-cholesky.ts";
import { type Random, seededRandom } from "../../../src/stats/seeded-random.ts";

/** A random symmetric matrix with a band, made positive by its diagonal, in both layouts. */
function randomMatrix(size: number, bandwidth: number, random: Random) {
  const dense = Array.from({ length: size }, () => Array.from({ length: size }, () => 0));
  for (let i = 0; i < size; i++) {
    for (let j = Math.max(0, i - bandwidth); j < i; j++) {
      dense[i]![j] = random() * 2 - 1;
      dense[j]![i] = dense[i]![j]!;
    }
  }
  for (let i = 0; i < size; i++) {
    dense[i]![i] = dense[i]!.reduce((sum, value) => sum + Math.abs(value), 0.1 + random());
  }
  const band = new Float64Array(size * (bandwidth + 1));
  for (let i = 0; i < size; i++) {
    for (let k = 0; k <= Math.min(bandwidth, i); k++)
      band[i * (bandwidth + 1) + k] = dense[i]![i - k]!;
  }
  return { dense, band };
}

/** Gauss and Jordan on the whole matrix: its inverse, and its determinant from the pivots. */
function inverted(dense: readonly (readonly number[])[]) {
  const size = dense.length;
  const rows = dense.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  let logDeterminant = 0;
  for (let i = 0; i < size; i++) {
    const pivot = rows[i]![i]!;
    logDeterminant += Math.log(pivot);
    rows[i] = rows[i]!.map((value) => value / pivot);
    for (let j = 0; j < size; j++) {
      const factor = rows[j]![i]!;
      if (j !== i) rows[j] = rows[j]!.map((value, k) => value - factor * rows[i]![k]!);
    }
  }
  return { inverse: rows.map((row) => row.slice(size)), logDeterminant };
}

function product(matrix: readonly (readonly number[])[], vector: ArrayLike<number>): number[] {
  return matrix.map((row) => row.reduce((sum, value, i) => sum + value * vector[i]!, 0));
}

const CASE = fc.record({ size: fc.integer({ min: 1, max: 24 }), seed: fc.nat() }).chain((one) =>
  fc.record({
    size: fc.constant(one.size),
    seed: fc.constant(one.seed),
    // Also one that is wider than the matrix.
    bandwidth: fc.integer({ min: 1, max: one.size + 1 }),
  }),
);

/** What one random matrix gives in the two ways. */
function forRandomMatrices(
  check: (given: {
    readonly factor: BandedCholesky;
    readonly dense: ReturnType<typeof inverted>;
    readonly vector: Float64Array;
  }) => void,
): void {
  fc.assert(
    fc.property(CASE, ({ size, bandwidth, seed }) => {
      const random = seededRandom(seed, 1);
      const { dense, band } = randomMatrix(size, bandwidth, random);
      const factor = BandedCholesky.factor(size, bandwidth, band);
      const vector = Float64Array.from({ length: size }, () => random() * 20 - 10);
      check({ factor, dense: inverted(dense), vector });
    }),
    { numRuns: 300 },
  );
}

describe("BandedCholesky, beside a dense solution of random matrices", () => {
  test("solves for a right side", () => {
    forRandomMatrices(({ factor, dense, vector }) => {
      const expected = product(dense.inverse, vector);
      const solution = Float64Array.from(vector);
      factor.solve(solution);
      for (const [i, value] of solution.entries()) expect(value).toBeCloseTo(expected[i]!, 8);
    });
  });

  test("knows the logarithm of the determinant", () => {
    forRandomMatrices(({ factor, dense }) => {
      expect(factor.logDeterminant()).toBeCloseTo(dense.logDeterminant, 8);
    });
  });

  test("knows the variance of a weighted sum", () => {
    forRandomMatrices(({ factor, dense, vector }) => {
      const ofInverse = product(dense.inverse, vector);
      const variance = ofInverse.reduce((sum, value, i) => sum + value * vector[i]!, 0);
      expect(factor.varianceOf(vector)).toBeCloseTo(variance, 7);
    });
  });

  test("knows the variances of the differences between neighbours", () => {
    forRandomMatrices(({ factor, dense: { inverse } }) => {
      const variances = factor.differenceVariances();
      expect(variances).toHaveLength(factor.size - 1);
      for (const [i, variance] of variances.entries()) {
        const own = inverse[i]![i]! + inverse[i + 1]![i + 1]! - 2 * inverse[i]![i + 1]!;
        expect(variance).toBeCloseTo(own, 8);
      }
    });
  });

  test("leaves the weights of a sum as they are", () => {
    const factor = BandedCholesky.factor(2, 1, Float64Array.of(2, 0, 2, 1));
    const weights = Float64Array.of(1, 3);
    factor.varianceOf(weights);
    expect([...weights]).toEqual([1, 3]);
  });
});
