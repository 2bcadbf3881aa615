import { HistoryBlock } from "./history-block.ts";

const DEFAULT_RETENTION_NS = 3600e9;

/** A time for which the power is constant. */
export interface PowerSegment {
  readonly startNs: number;
  readonly endNs: number;
  /** By GPU. */
  readonly powerW: readonly number[];
  readonly isCapped: boolean;
}

/**
 * What GPUs have drawn: the truth that readings are held against.
 *
 * Each segment holds until the next one. Questions cost O(log n). Sums do not lose joules over
 * hours: they are kept in two parts. What is older than the retention is forgotten in blocks, and
 * then unknown, never zero. A segment takes 17 + 16 bytes per GPU: 12 MB for an hour of 100
 * segments a second of one GPU, 52 MB of eight.
 */
export class PowerHistory {
  readonly #gpuCount: number;
  readonly #retentionNs: number;
  /** In time order; none is empty. */
  readonly #blocks: HistoryBlock[] = [];

  /** @param retentionNs - how far back from the newest segment questions are answered; an hour. */
  constructor(gpuCount: number, retentionNs: number = DEFAULT_RETENTION_NS) {
    this.#gpuCount = gpuCount;
    this.#retentionNs = retentionNs;
  }

  /** When the newest segment begins. */
  get lastNs(): number | undefined {
    return this.#blocks.at(-1)?.lastNs;
  }

  /** From when on something is known. */
  get firstNs(): number | undefined {
    return this.#blocks[0]?.startNs;
  }

  /**
   * From `atNs` on the GPUs draw this; at the time of the newest segment, in its place.
   *
   * @throws {RangeError} for a time before the newest segment, or watts that are none.
   */
  append(atNs: number, powerW: readonly number[], isCapped: boolean): void {
    if (powerW.length !== this.#gpuCount || !powerW.every((watts) => watts >= 0)) {
      throw new RangeError(`[${powerW.join(", ")}] are not the watts of ${this.#gpuCount} GPUs`);
    }
    const lastNs = this.lastNs ?? Number.NEGATIVE_INFINITY;
    if (!Number.isFinite(atNs) || atNs < lastNs) {
      throw new RangeError(`a segment at ${atNs} ns cannot follow one at ${lastNs} ns`);
    }
    this.#blockFor(atNs).append(atNs, powerW, isCapped);
  }

  /**
   * Joules that went into a GPU.
   *
   * @param knownUntilNs - until when nothing will be appended any more: now, for an engine that
   *   appends at once. Default: when the newest segment begins.
   * @throws {RangeError} for an interval that is not wholly known.
   */
  energyJ(gpu: number, startNs: number, endNs: number, knownUntilNs?: number): number {
    this.#assertKnown(startNs, endNs, knownUntilNs);
    const first = this.#blockAt(startNs);
    const last = this.#blockAt(endNs);
    const i = first.segmentAt(startNs);
    const j = last.segmentAt(endNs);
    if (first === last && i === j) return (first.powerW(i, gpu) * (endNs - startNs)) / 1e9;
    const from = first.sumBefore(i, gpu);
    const to = last.sumBefore(j, gpu);
    const startsWNs = to.high - from.high + (to.low - from.low) + (to.insideWNs - from.insideWNs);
    const cutWNs = first.powerW(i, gpu) * (startNs - first.atNs(i));
    const restWNs = last.powerW(j, gpu) * (endNs - last.atNs(j));
    // Rounding alone can bring next to nothing below nothing.
    return Math.max(0, (startsWNs - cutWNs + restWNs) / 1e9);
  }

  /** How long, of an interval, the limit held the GPUs down. @throws {RangeError} as `energyJ`. */
  cappedNs(startNs: number, endNs: number, knownUntilNs?: number): number {
    this.#assertKnown(startNs, endNs, knownUntilNs);
    return (
      this.#blockAt(endNs).cappedUntilNs(endNs) - this.#blockAt(startNs).cappedUntilNs(startNs)
    );
  }

  /** The segments of an interval, cut to it, in time order. @throws {RangeError} as `energyJ`. */
  segments(startNs: number, endNs: number, knownUntilNs?: number): PowerSegment[] {
    this.#assertKnown(startNs, endNs, knownUntilNs);
    const found: PowerSegment[] = [];
    for (let b = this.#blockIndexAt(startNs); b < this.#blocks.length; b++) {
      const block = this.#blocks[b]!;
      const blockEndNs = this.#blocks[b + 1]?.startNs ?? Number.POSITIVE_INFINITY;
      for (let i = block.segmentAt(startNs); i < block.count; i++) {
        const fromNs = Math.max(startNs, block.atNs(i));
        const nextNs = i + 1 < block.count ? block.atNs(i + 1) : blockEndNs;
        if (fromNs >= endNs) return found;
        const powerW = Array.from({ length: this.#gpuCount }, (_, gpu) => block.powerW(i, gpu));
        const untilNs = Math.min(endNs, nextNs);
        found.push({ startNs: fromNs, endNs: untilNs, powerW, isCapped: block.isCapped(i) });
      }
    }
    return found;
  }

  #blockFor(atNs: number): HistoryBlock {
    const last = this.#blocks.at(-1);
    if (last && (!last.isFull || last.lastNs === atNs)) return last;
    const zero = { high: 0, low: 0 };
    const bases = Array.from({ length: this.#gpuCount }, () => zero);
    const next = last?.next(atNs) ?? new HistoryBlock(bases, 0);
    while (this.#blocks.length > 1 && this.#blocks[1]!.startNs <= atNs - this.#retentionNs) {
      this.#blocks.shift();
    }
    this.#blocks.push(next);
    return next;
  }

  #blockAt(atNs: number): HistoryBlock {
    return this.#blocks[this.#blockIndexAt(atNs)]!;
  }

  #blockIndexAt(atNs: number): number {
    let low = 1;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#blocks[middle]!.startNs <= atNs) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #assertKnown(startNs: number, endNs: number, knownUntilNs: number | undefined): void {
    const fromNs = this.firstNs ?? Number.POSITIVE_INFINITY;
    const untilNs = knownUntilNs ?? this.lastNs ?? Number.NEGATIVE_INFINITY;
    if (startNs >= fromNs && endNs >= startNs && endNs <= untilNs) return;
    throw new RangeError(
      `the power from ${startNs} to ${endNs} ns is not known: it is from ${fromNs} to ${untilNs} ns`,
    );
  }
}
