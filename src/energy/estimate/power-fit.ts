import { BandedCholesky } from "./banded-cholesky.ts";
import type { MeanRow } from "./mean-row.ts";

/** How finely and how long the power is fitted. */
export interface FitOptions {
  readonly startMs: number;
  readonly endMs: number;
  /** The power is taken as constant for so long. */
  readonly binMs: number;
  readonly rounds: number;
}

/** The power over time as readings tell it, with how sure that is. */
export interface PowerFit {
  /** Joules of an interval inside the fit, and their standard deviation. */
  readonly energy: (
    startMs: number,
    endMs: number,
  ) => { readonly meanJ: number; readonly sdJ: number };
  /** The power at a time, in W. */
  readonly powerAtW: (atMs: number) => number;
  /** Natural logarithm of how probable the readings are, up to a constant of the readings. */
  readonly logEvidence: number;
}

/** A change of power is as probable at any moment within so many ms of where one is seen. */
const BLUR_MS = 300;
/** Least variance of the change from one bin to the next, in W². */
const LEAST_CHANGE = 1e-3;
/** Most of it: no device changes its power by more than 100 kW. */
const MOST_CHANGE = 1e10;
/** Each round goes further than it saw by this power: fewer rounds for the same end. */
const STRIDE = 1.8;
/** Makes the level itself free, and the matrix positive where no reading reaches. */
const FREE_LEVEL = 1e-10;

/**
 * Fits the power that readings are the means of. It is a random walk whose steps are as large as the
 * readings ask for at each moment: next to nothing where they stand still, a jump where they move.
 * Docs/method.md has the formulas.
 *
 * @param rows - at least one.
 */
export function fitPower(rows: readonly MeanRow[], options: FitOptions): PowerFit {
  return new Fit(rows, options).run();
}

interface PlacedRow extends MeanRow {
  readonly first: number;
  /** Share of the row's interval in each bin from `first` on. */
  readonly shares: Float64Array;
}

class Fit {
  readonly #rows: readonly PlacedRow[];
  readonly #options: FitOptions;
  readonly #size: number;
  readonly #bandwidth: number;
  #powerW: Float64Array;
  /** Variance of the change of power from each bin to the next. */
  #change: Float64Array;

  constructor(rows: readonly MeanRow[], options: FitOptions) {
    const { startMs, endMs, binMs } = options;
    this.#options = options;
    this.#size = Math.max(2, Math.ceil((endMs - startMs) / binMs));
    this.#rows = rows.flatMap((row) => placed(row, startMs, binMs, this.#size));
    this.#bandwidth = Math.max(1, ...this.#rows.map(({ shares }) => shares.length - 1));
    const meanW = rows.reduce((sum, { powerW }) => sum + powerW, 0) / rows.length;
    this.#powerW = new Float64Array(this.#size).fill(meanW);
    const startChange = ((0.3 * meanW) ** 2 * binMs) / 1000 + 1;
    this.#change = new Float64Array(this.#size - 1).fill(startChange);
  }

  run(): PowerFit {
    const { rounds } = this.#options;
    for (let round = 1; round < rounds; round++) {
      const { factor } = this.#solve();
      this.#change = this.#learnedChange(factor);
    }
    const { factor, logEvidence } = this.#solve();
    const { startMs, binMs } = this.#options;
    const powerW = this.#powerW;
    return {
      logEvidence,
      powerAtW: (atMs) => {
        const bin = Math.floor((atMs - startMs) / binMs);
        return powerW[Math.min(Math.max(bin, 0), powerW.length - 1)]!;
      },
      energy: (fromMs, toMs) => {
        const weights = secondsIn(fromMs, toMs, startMs, binMs, this.#size);
        const meanJ = weights.reduce((sum, seconds, bin) => sum + seconds * powerW[bin]!, 0);
        return { meanJ, sdJ: Math.sqrt(factor.varianceOf(weights)) };
      },
    };
  }

  /** The power that fits best for the changes assumed, and how probable the readings are then. */
  #solve(): { readonly factor: BandedCholesky; readonly logEvidence: number } {
    const width = this.#bandwidth + 1;
    const band = new Float64Array(this.#size * width);
    const right = new Float64Array(this.#size);
    let logNoise = 0;
    let ofReadings = 0;
    for (const row of this.#rows) {
      const variance = this.#rowVariance(row);
      logNoise += Math.log(variance);
      ofReadings += row.powerW ** 2 / variance;
      addRow(row, variance, width, band, right);
    }
    let logChange = 0;
    for (const [bin, change] of this.#change.entries()) {
      logChange += Math.log(change);
      band[bin * width]! += 1 / change;
      band[(bin + 1) * width]! += 1 / change;
      band[(bin + 1) * width + 1]! -= 1 / change;
    }
    for (let bin = 0; bin < this.#size; bin++) band[bin * width]! += FREE_LEVEL;
    const factor = BandedCholesky.factor(this.#size, this.#bandwidth, band);
    const solution = Float64Array.from(right);
    factor.solve(solution);
    this.#powerW = solution;
    const explained = right.reduce((sum, value, bin) => sum + value * solution[bin]!, 0);
    const logEvidence =
      -(logNoise + logChange + factor.logDeterminant() + ofReadings - explained) / 2;
    return { factor, logEvidence };
  }

  /** Noise of a reading, and what a shift of its interval does where the power differs at its ends. */
  #rowVariance({ first, shares, fromMs, toMs, shiftSdMs, noiseW }: PlacedRow): number {
    const differenceW = this.#powerW[first + shares.length - 1]! - this.#powerW[first]!;
    return noiseW ** 2 + ((differenceW / (toMs - fromMs)) * shiftSdMs) ** 2;
  }

  /** Expected squares of the changes, given the readings, blurred over where they may have been. */
  #learnedChange(factor: BandedCholesky): Float64Array {
    const squares = factor.differenceVariances();
    for (let bin = 0; bin < squares.length; bin++) {
      squares[bin]! += (this.#powerW[bin + 1]! - this.#powerW[bin]!) ** 2;
    }
    const seen = blurred(squares, Math.round(BLUR_MS / this.#options.binMs));
    return seen.map((change, bin) => {
      const before = this.#change[bin]!;
      const next = before * (change / before) ** STRIDE;
      return Math.min(MOST_CHANGE, Math.max(LEAST_CHANGE, next));
    });
  }
}

function placed(row: MeanRow, startMs: number, binMs: number, size: number): PlacedRow[] {
  const from = (row.fromMs - startMs) / binMs;
  const to = (row.toMs - startMs) / binMs;
  if (from < 0 || to > size) return [];
  const first = Math.floor(from);
  const shares = new Float64Array(Math.min(size, Math.ceil(to)) - first);
  for (let i = 0; i < shares.length; i++) {
    const bin = first + i;
    shares[i] = Math.max(0, Math.min(to, bin + 1) - Math.max(from, bin)) / (to - from);
  }
  return shares.length === 0 ? [] : [{ ...row, first, shares }];
}

function addRow(
  { first, shares, powerW }: PlacedRow,
  variance: number,
  width: number,
  band: Float64Array,
  right: Float64Array,
): void {
  for (let i = 0; i < shares.length; i++) {
    const weighed = shares[i]! / variance;
    right[first + i]! += weighed * powerW;
    const row = (first + i) * width;
    for (let k = 0; k <= i; k++) band[row + i - k]! += weighed * shares[k]!;
  }
}

/** A triangular mean over `reach` bins on either side. */
function blurred(values: Float64Array, reach: number): Float64Array {
  const means = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    let sum = 0;
    let weights = 0;
    const last = Math.min(values.length - 1, i + reach);
    for (let j = Math.max(0, i - reach); j <= last; j++) {
      const weight = reach + 1 - Math.abs(i - j);
      sum += weight * values[j]!;
      weights += weight;
    }
    means[i] = Math.max(LEAST_CHANGE, sum / weights);
  }
  return means;
}

/** Seconds of an interval in each bin. */
function secondsIn(
  fromMs: number,
  toMs: number,
  startMs: number,
  binMs: number,
  size: number,
): Float64Array {
  return Float64Array.from({ length: size }, (_, bin) => {
    const binStartMs = startMs + bin * binMs;
    return Math.max(0, Math.min(toMs, binStartMs + binMs) - Math.max(fromMs, binStartMs)) / 1000;
  });
}
