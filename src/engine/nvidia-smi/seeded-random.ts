/** Uniform numbers in [0, 1), the same ones for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A uniform number in [-1, 1) that belongs to a place in a sequence: asked again, it is the same. */
export function noiseAt(seed: number, position: number): number {
  return seededRandom(seed ^ Math.imul(position | 0, 0x9e3779b1))() * 2 - 1;
}
