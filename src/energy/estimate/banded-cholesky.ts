/**
 * The Cholesky factor of a symmetric positive matrix that is zero but for a band around its
 * diagonal, with what a least-squares fit asks of it. Memory and time grow with size × bandwidth.
 */
export class BandedCholesky {
  readonly size: number;
  /** How many diagonals lie below the main one. */
  readonly bandwidth: number;
  /** Row i of the lower factor: its diagonal first, then leftwards. */
  readonly #lower: Float64Array;

  private constructor(size: number, bandwidth: number, lower: Float64Array) {
    this.size = size;
    this.bandwidth = bandwidth;
    this.#lower = lower;
  }

  /**
   * Factors a matrix in place.
   *
   * @param band - row i of the lower half at `i * (bandwidth + 1)`: its diagonal first, then leftwards.
   */
  static factor(size: number, bandwidth: number, band: Float64Array): BandedCholesky {
    const width = bandwidth + 1;
    for (let i = 0; i < size; i++) {
      const row = i * width;
      for (let k = Math.min(bandwidth, i); k >= 0; k--) {
        const other = (i - k) * width;
        let sum = band[row + k]!;
        const most = Math.min(bandwidth - k, i - k);
        for (let p = 1; p <= most; p++) sum -= band[row + k + p]! * band[other + p]!;
        band[row + k] = k === 0 ? Math.sqrt(Math.max(sum, TINY)) : sum / band[other]!;
      }
    }
    return new BandedCholesky(size, bandwidth, band);
  }

  /** Natural logarithm of the matrix' determinant. */
  logDeterminant(): number {
    const width = this.bandwidth + 1;
    let sum = 0;
    for (let i = 0; i < this.size; i++) sum += 2 * Math.log(this.#lower[i * width]!);
    return sum;
  }

  /** Solves for a right side, in place. */
  solve(right: Float64Array): void {
    this.#forward(right);
    const { size, bandwidth } = this;
    const lower = this.#lower;
    const width = bandwidth + 1;
    for (let i = size - 1; i >= 0; i--) {
      let sum = right[i]!;
      const most = Math.min(bandwidth, size - 1 - i);
      for (let k = 1; k <= most; k++) sum -= lower[(i + k) * width + k]! * right[i + k]!;
      right[i] = sum / lower[i * width]!;
    }
  }

  /** wᵀ M⁻¹ w: the variance of a weighted sum whose terms have M as the inverse of their covariance. */
  varianceOf(weights: Float64Array): number {
    const half = Float64Array.from(weights);
    this.#forward(half);
    return half.reduce((sum, value) => sum + value * value, 0);
  }

  /**
   * Variances of the differences between neighbours, xᵢ₊₁ − xᵢ, where M is the inverse of the
   * covariance (Takahashi's recursion inside the band).
   */
  differenceVariances(): Float64Array {
    const { size, bandwidth } = this;
    const width = bandwidth + 1;
    const covariance = this.#selectedInverse();
    const variances = new Float64Array(Math.max(0, size - 1));
    for (let i = 0; i < variances.length; i++) {
      const next = (i + 1) * width;
      variances[i] = covariance[i * width]! + covariance[next]! - 2 * covariance[next + 1]!;
    }
    return variances;
  }

  #forward(right: Float64Array): void {
    const { size, bandwidth } = this;
    const lower = this.#lower;
    const width = bandwidth + 1;
    for (let i = 0; i < size; i++) {
      let sum = right[i]!;
      const most = Math.min(bandwidth, i);
      for (let k = 1; k <= most; k++) sum -= lower[i * width + k]! * right[i - k]!;
      right[i] = sum / lower[i * width]!;
    }
  }

  /** M⁻¹ inside the band, laid out as the factor is. */
  #selectedInverse(): Float64Array {
    const { size, bandwidth } = this;
    const lower = this.#lower;
    const width = bandwidth + 1;
    const inverse = new Float64Array(size * width);
    for (let j = size - 1; j >= 0; j--) {
      const diagonal = lower[j * width]!;
      const most = Math.min(bandwidth, size - 1 - j);
      for (let i = j + most; i >= j; i--) {
        let sum = 0;
        // Left of the diagonal of row i, then below it in its column: the inverse is symmetric.
        for (let k = 1; k <= i - j; k++) {
          sum += lower[(j + k) * width + k]! * inverse[i * width + i - j - k]!;
        }
        for (let k = i - j + 1; k <= most; k++) {
          sum += lower[(j + k) * width + k]! * inverse[(j + k) * width + j + k - i]!;
        }
        if (i === j) inverse[j * width] = (1 / diagonal - sum) / diagonal;
        else inverse[i * width + i - j] = -sum / diagonal;
      }
    }
    return inverse;
  }
}

/** Below any pivot of a matrix that is positive but for rounding. */
const TINY = 1e-300;
