/** Tokens that are cached and reserved together, as in vLLM. */
export const BLOCK_TOKENS = 16;

/** Place of no block: the end of the list. */
const NONE = -1;

/**
 * Which blocks of prompts are still known; the least recently used are forgotten first, and of one
 * prompt the last block first, since without its first blocks the others are of no use.
 *
 * Simplified: it has room of its own. In vLLM running contexts take blocks away from it.
 */
export class PrefixCache {
  readonly #roomBlocks: number;
  readonly #slotByHash = new Map<number, number>();
  /** By slot; a list linked both ways from the oldest to the newest. A `Map` in order of use would
   * be shorter, but V8 walks over all that was deleted from its front. */
  readonly #hashes: number[] = [];
  readonly #older: number[] = [];
  readonly #newer: number[] = [];
  #oldest = NONE;
  #newest = NONE;

  constructor(roomBlocks: number) {
    this.#roomBlocks = roomBlocks;
  }

  /** How many blocks a prompt begins with, of the first `most`, are known; they count as used. */
  use(hashes: readonly number[], most: number): number {
    let known = 0;
    while (known < most && this.#slotByHash.has(hashes[known]!)) known++;
    for (let i = known - 1; i >= 0; i--) this.#renew(this.#slotByHash.get(hashes[i]!)!);
    return known;
  }

  /** Blocks `from` to before `to` of a prompt have been computed. */
  add(hashes: readonly number[], from: number, to: number): void {
    const last = Math.min(to, from + this.#roomBlocks);
    for (let i = last - 1; i >= from; i--) {
      const slot = this.#slotByHash.get(hashes[i]!);
      if (slot !== undefined) this.#renew(slot);
      else this.#insert(hashes[i]!);
    }
  }

  #insert(hash: number): void {
    let slot = this.#hashes.length;
    if (slot >= this.#roomBlocks) {
      slot = this.#oldest;
      this.#slotByHash.delete(this.#hashes[slot]!);
      this.#unlink(slot);
    }
    this.#hashes[slot] = hash;
    this.#slotByHash.set(hash, slot);
    this.#linkNewest(slot);
  }

  #renew(slot: number): void {
    if (slot === this.#newest) return;
    this.#unlink(slot);
    this.#linkNewest(slot);
  }

  #unlink(slot: number): void {
    const older = this.#older[slot]!;
    const newer = this.#newer[slot]!;
    if (older === NONE) this.#oldest = newer;
    else this.#newer[older] = newer;
    if (newer === NONE) this.#newest = older;
    else this.#older[newer] = older;
  }

  #linkNewest(slot: number): void {
    this.#older[slot] = this.#newest;
    this.#newer[slot] = NONE;
    if (this.#newest === NONE) this.#oldest = slot;
    else this.#newer[this.#newest] = slot;
    this.#newest = slot;
  }
}
