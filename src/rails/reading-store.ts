import type { PowerSample } from "../energy/power-sample.ts";

const CHUNK = 4096;

/** The most readings of one device that are kept, 270 MB of them, whatever is asked for. */
const MOST_CHUNKS = 2048;

/** Readings that are handed out on each side of a window at least. */
const LEAST_AROUND = 2;

/** Bits of the flag byte: whether a flag was reported, and whether it was active. */
const CAP_KNOWN = 1;
const CAP_ACTIVE = 2;
const BRAKE_KNOWN = 4;
const BRAKE_ACTIVE = 8;

interface Chunk {
  readonly atMs: Float64Array;
  readonly powerW: Float64Array;
  /** NaN where the line had none. */
  readonly instantW: Float64Array;
  /** NaN where the source counts no joules. */
  readonly counterJ: Float64Array;
  readonly flags: Uint8Array;
  length: number;
}

/**
 * The readings of one device in time order, 33 bytes each, without the old ones.
 *
 * Memory is bounded by how far back `dropBefore` lets it reach, in steps of 4,096 readings.
 */
export class ReadingStore {
  readonly #device: string;
  #chunks: Chunk[] = [];
  #droppedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(device: string) {
    this.#device = device;
  }

  /** Readings up to this time may have been forgotten; −Infinity while none has been. */
  get droppedUntilMs(): number {
    return this.#droppedUntilMs;
  }

  get lastAtMs(): number | undefined {
    const chunk = this.#chunks.at(-1);
    return chunk?.atMs[chunk.length - 1];
  }

  add(sample: PowerSample): void {
    let chunk = this.#chunks.at(-1);
    if (chunk === undefined || chunk.length === CHUNK) {
      chunk = newChunk();
      this.#chunks.push(chunk);
      if (this.#chunks.length > MOST_CHUNKS) this.#dropFirst();
    }
    chunk.atMs[chunk.length] = sample.atMs;
    chunk.powerW[chunk.length] = sample.powerW;
    chunk.instantW[chunk.length] = sample.instantW ?? Number.NaN;
    chunk.counterJ[chunk.length] = sample.counterJ ?? Number.NaN;
    chunk.flags[chunk.length] = flagsOf(sample);
    chunk.length++;
  }

  /** Forgets whole chunks whose readings are all older than `atMs`. */
  dropBefore(atMs: number): void {
    while (this.#chunks.length > 1) {
      const first = this.#chunks[0]!;
      const lastMs = first.atMs[first.length - 1]!;
      if (lastMs >= atMs) return;
      this.#dropFirst();
    }
  }

  #dropFirst(): void {
    const first = this.#chunks.shift();
    if (first) this.#droppedUntilMs = first.atMs[first.length - 1]!;
  }

  get last(): PowerSample | undefined {
    return this.#length === 0 ? undefined : this.#sampleAt(this.#length - 1);
  }

  /**
   * The readings of a window and of `marginMs` on both sides of it, edges included.
   *
   * Where so short a time holds fewer, two on each side nevertheless: they tell how long there was
   * none.
   */
  around(startMs: number, endMs: number, marginMs: number): readonly PowerSample[] {
    const from = Math.min(
      this.#firstWhere((atMs) => atMs >= startMs - marginMs),
      Math.max(0, this.#firstWhere((atMs) => atMs >= startMs) - LEAST_AROUND),
    );
    const to = Math.max(
      this.#firstWhere((atMs) => atMs > endMs + marginMs),
      Math.min(this.#length, this.#firstWhere((atMs) => atMs > endMs) + LEAST_AROUND),
    );
    const found: PowerSample[] = [];
    for (let i = from; i < to; i++) found.push(this.#sampleAt(i));
    return found;
  }

  /** Every chunk but the last one is full. */
  get #length(): number {
    const last = this.#chunks.at(-1);
    return last === undefined ? 0 : (this.#chunks.length - 1) * CHUNK + last.length;
  }

  /** Place of the first reading whose time fulfils what all later ones fulfil; a binary search. */
  #firstWhere(isReached: (atMs: number) => boolean): number {
    let from = 0;
    let to = this.#length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (isReached(this.#chunkOf(middle).atMs[middle % CHUNK]!)) to = middle;
      else from = middle + 1;
    }
    return from;
  }

  #chunkOf(place: number): Chunk {
    return this.#chunks[Math.floor(place / CHUNK)]!;
  }

  #sampleAt(place: number): PowerSample {
    const chunk = this.#chunkOf(place);
    const i = place % CHUNK;
    const flags = chunk.flags[i]!;
    const instantW = chunk.instantW[i]!;
    const counterJ = chunk.counterJ[i]!;
    return {
      atMs: chunk.atMs[i]!,
      powerW: chunk.powerW[i]!,
      ...(flags & CAP_KNOWN ? { swPowerCap: (flags & CAP_ACTIVE) > 0 } : {}),
      ...(flags & BRAKE_KNOWN ? { hwPowerBrake: (flags & BRAKE_ACTIVE) > 0 } : {}),
      device: this.#device,
      ...(Number.isNaN(instantW) ? {} : { instantW }),
      ...(Number.isNaN(counterJ) ? {} : { counterJ }),
    };
  }
}

function newChunk(): Chunk {
  return {
    atMs: new Float64Array(CHUNK),
    powerW: new Float64Array(CHUNK),
    instantW: new Float64Array(CHUNK),
    counterJ: new Float64Array(CHUNK),
    flags: new Uint8Array(CHUNK),
    length: 0,
  };
}

function flagsOf({ swPowerCap, hwPowerBrake }: PowerSample): number {
  let flags = 0;
  if (swPowerCap !== undefined) flags |= CAP_KNOWN;
  if (swPowerCap) flags |= CAP_ACTIVE;
  if (hwPowerBrake !== undefined) flags |= BRAKE_KNOWN;
  if (hwPowerBrake) flags |= BRAKE_ACTIVE;
  return flags;
}
