import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PrefixCache } from "../../../src/engine/schedule/prefix-cache.ts";

function cacheOf(room: number, ...prompts: number[][]): PrefixCache {
  const cache = new PrefixCache(room);
  for (const hashes of prompts) cache.add(hashes, 0, hashes.length);
  return cache;
}

/** The same rules on a plain list, oldest first. */
class PlainCache {
  readonly #room: number;
  #blocks: number[] = [];

  constructor(room: number) {
    this.#room = room;
  }

  use(hashes: readonly number[]): number {
    const unknown = hashes.findIndex((hash) => !this.#blocks.includes(hash));
    const known = unknown < 0 ? hashes.length : unknown;
    this.add(hashes.slice(0, known));
    return known;
  }

  add(hashes: readonly number[]): void {
    for (const hash of hashes.toReversed()) {
      this.#blocks = [...this.#blocks.filter((other) => other !== hash), hash].slice(-this.#room);
    }
  }
}

describe("a prefix cache", () => {
  test("knows the blocks that a prompt shares with one before, up to the first it does not", () => {
    const cache = cacheOf(10, [1, 2, 3]);
    expect(cache.use([1, 2, 9, 3], 4)).toBe(2);
    expect(cache.use([1, 2, 3], 2)).toBe(2);
    expect(cache.use([9, 2], 2)).toBe(0);
  });

  test("forgets the prompt that was used least recently, its last block first", () => {
    const cache = cacheOf(4, [1, 2], [3, 4]);
    cache.use([1, 2], 2);
    cache.add([5], 0, 1);
    expect(cache.use([3, 4], 2)).toBe(1);
    expect(cache.use([1, 2], 2)).toBe(2);
  });

  test("using a prompt keeps its beginning longest", () => {
    const cache = cacheOf(3, [1, 2, 3]);
    cache.use([1, 2, 3], 3);
    cache.add([4], 0, 1);
    expect(cache.use([1, 2, 3], 3)).toBe(2);
  });

  test("keeps the beginning of a prompt that is longer than its room", () => {
    const cache = cacheOf(3, [1, 2, 3, 4, 5]);
    expect(cache.use([1, 2, 3, 4, 5], 5)).toBe(3);
  });

  test("without room it knows nothing", () => {
    expect(cacheOf(0, [1, 2]).use([1, 2], 2)).toBe(0);
  });

  test("does what a plain list does", () => {
    const prompt = fc
      .array(fc.nat(12), { minLength: 1, maxLength: 4 })
      .map((path) => path.map((_, i) => Number(`1${path.slice(0, i + 1).join("0")}`)));
    const action = fc.record({ isUse: fc.boolean(), hashes: prompt });
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 12 }), fc.array(action), (room, actions) => {
        const cache = new PrefixCache(room);
        const plain = new PlainCache(room);
        for (const { isUse, hashes } of actions) {
          if (isUse) {
            expect(cache.use(hashes, hashes.length)).toBe(plain.use(hashes));
          } else {
            cache.add(hashes, 0, hashes.length);
            plain.add(hashes);
          }
        }
      }),
    );
  });
});
