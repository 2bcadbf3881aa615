/** Segments in one block: enough to be cheap, few enough that sums inside it stay exact. */
const BLOCK_SEGMENTS = 512;

/** A sum in two parts, the second of which holds what the first has lost in rounding. */
export interface SplitSum {
  readonly high: number;
  readonly low: number;
}

/** Some hundred segments in a row, with the sums of all that came before them. */
export class HistoryBlock {
  readonly #gpuCount: number;
  readonly #atNs = new Float64Array(BLOCK_SEGMENTS);
  readonly #powerW: Float64Array;
  /** From the block's start to the segment's. */
  readonly #energyWNs: Float64Array;
  readonly #cappedNs = new Float64Array(BLOCK_SEGMENTS);
  readonly #isCapped = new Uint8Array(BLOCK_SEGMENTS);
  /** At the block's start, by GPU. */
  readonly #baseWNs: readonly SplitSum[];
  readonly #baseCappedNs: number;
  #count = 0;

  constructor(baseWNs: readonly SplitSum[], baseCappedNs: number) {
    this.#gpuCount = baseWNs.length;
    this.#powerW = new Float64Array(BLOCK_SEGMENTS * this.#gpuCount);
    this.#energyWNs = new Float64Array(BLOCK_SEGMENTS * this.#gpuCount);
    this.#baseWNs = baseWNs;
    this.#baseCappedNs = baseCappedNs;
  }

  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count === BLOCK_SEGMENTS;
  }

  get startNs(): number {
    return this.#atNs[0]!;
  }

  get lastNs(): number {
    return this.#atNs[this.#count - 1]!;
  }

  atNs(segment: number): number {
    return this.#atNs[segment]!;
  }

  powerW(segment: number, gpu: number): number {
    return this.#powerW[segment * this.#gpuCount + gpu]!;
  }

  isCapped(segment: number): boolean {
    return this.#isCapped[segment] === 1;
  }

  /** Adds a segment behind the last one; at its very time, in its place. */
  append(atNs: number, powerW: readonly number[], isCapped: boolean): void {
    const isReplacing = this.#count > 0 && this.lastNs === atNs;
    const segment = isReplacing ? this.#count - 1 : this.#count;
    if (!isReplacing && segment > 0) {
      for (let gpu = 0; gpu < this.#gpuCount; gpu++) {
        this.#energyWNs[segment * this.#gpuCount + gpu] = this.#energyUntil(gpu, atNs, segment - 1);
      }
      this.#cappedNs[segment] = this.#cappedUntil(atNs, segment - 1);
    }
    this.#atNs[segment] = atNs;
    this.#powerW.set(powerW, segment * this.#gpuCount);
    this.#isCapped[segment] = isCapped ? 1 : 0;
    this.#count = segment + 1;
  }

  /** Index of the segment that `atNs`, which is not before the block, lies in. */
  segmentAt(atNs: number): number {
    let low = 1;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#atNs[middle]! <= atNs) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** The sum of a GPU's energy from the beginning of the history to the start of a segment. */
  sumBefore(segment: number, gpu: number): SplitSum & { readonly insideWNs: number } {
    const insideWNs = this.#energyWNs[segment * this.#gpuCount + gpu]!;
    return { ...this.#baseWNs[gpu]!, insideWNs };
  }

  /** Time capped from the beginning of the history to a time in this block. */
  cappedUntilNs(atNs: number): number {
    return this.#baseCappedNs + this.#cappedUntil(atNs, this.segmentAt(atNs));
  }

  /** The block behind this one, whose first segment begins at `atNs`. */
  next(atNs: number): HistoryBlock {
    const last = this.#count - 1;
    const bases = this.#baseWNs.map((base, gpu) => plus(base, this.#energyUntil(gpu, atNs, last)));
    return new HistoryBlock(bases, this.#baseCappedNs + this.#cappedUntil(atNs, last));
  }

  #energyUntil(gpu: number, atNs: number, segment: number): number {
    const place = segment * this.#gpuCount + gpu;
    return this.#energyWNs[place]! + this.#powerW[place]! * (atNs - this.#atNs[segment]!);
  }

  #cappedUntil(atNs: number, segment: number): number {
    const lastNs = this.#isCapped[segment] === 1 ? atNs - this.#atNs[segment]! : 0;
    return this.#cappedNs[segment]! + lastNs;
  }
}

/** Adds without losing what does not fit into the larger number (Neumaier). */
function plus({ high, low }: SplitSum, value: number): SplitSum {
  const sum = high + value;
  const lost = Math.abs(high) >= Math.abs(value) ? high - sum + value : value - sum + high;
  return { high: sum, low: low + lost };
}
