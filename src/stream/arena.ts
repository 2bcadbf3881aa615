const FIRST_BYTES = 8 * 1024;
const FIRST_READS = 64;
/** Larger arenas are left to the garbage collector: one huge reply must not pin memory for ever. */
const LARGEST_KEPT_BYTES = 1024 * 1024;
const MOST_KEPT = 2048;

/**
 * The body bytes of one reply, in one piece, and when each read of the socket brought its part.
 *
 * While a stream runs nothing is decoded: a read costs one copy and one time stamp.
 */
export class Arena {
  bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  /** Bytes in use; what lies behind is left over from an earlier reply. */
  length = 0;
  /** Reads that brought at least one byte of the body. */
  readCount = 0;
  #atMs: Float64Array = new Float64Array(FIRST_READS);
  #endOffset: Float64Array = new Float64Array(FIRST_READS);

  append(source: Buffer, from: number, to: number): void {
    const length = this.length + (to - from);
    if (length > this.bytes.length) this.#grow(length);
    source.copy(this.bytes, this.length, from, to);
    this.length = length;
  }

  /** Says when the bytes appended since the last mark arrived. */
  markRead(atMs: number): void {
    if (this.readCount > 0 && this.length === this.#endOffset[this.readCount - 1]) return;
    if (this.readCount === this.#atMs.length) {
      this.#atMs = widened(this.#atMs);
      this.#endOffset = widened(this.#endOffset);
    }
    this.#atMs[this.readCount] = atMs;
    this.#endOffset[this.readCount] = this.length;
    this.readCount++;
  }

  /**
   * The number of the read that brought the byte at `offset`.
   *
   * @param from - a read at or before the one sought: whoever walks in order never looks twice.
   */
  readOf(offset: number, from: number): number {
    let read = from;
    while (read < this.readCount - 1 && this.#endOffset[read]! <= offset) read++;
    return read;
  }

  atMsOf(read: number): number {
    return this.#atMs[read]!;
  }

  clear(): void {
    this.length = 0;
    this.readCount = 0;
  }

  #grow(least: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(least, this.bytes.length * 2));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }
}

const kept: Arena[] = [];

/** An empty arena, best one that has grown to the size of its replies already. */
export function takeArena(): Arena {
  return kept.pop() ?? new Arena();
}

/** Hands an arena back whose bytes nobody looks at any more. */
export function giveBackArena(arena: Arena): void {
  if (arena.bytes.length > LARGEST_KEPT_BYTES || kept.length >= MOST_KEPT) return;
  arena.clear();
  kept.push(arena);
}

function widened(array: Float64Array): Float64Array {
  const wide = new Float64Array(array.length * 2);
  wide.set(array);
  return wide;
}
