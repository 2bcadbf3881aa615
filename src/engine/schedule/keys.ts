import { noiseAt } from "../nvidia-smi/seeded-random.ts";

/** The unsigned 32-bit key that belongs to both; in the other order it is another one. */
export function mixKeys(key: number, other: number): number {
  return ((noiseAt(key, other) + 1) * 2 ** 31) >>> 0;
}

/** A uniform number in [0, 1) that belongs to a place under a key: asked again, it is the same. */
export function uniformAt(key: number, place: number): number {
  return mixKeys(key, place) / 2 ** 32;
}
