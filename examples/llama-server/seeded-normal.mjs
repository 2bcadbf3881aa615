// @ts-check

/**
 * Normally distributed numbers around 0 with deviation 1, the same ones for the same seed.
 *
 * @param {number} seed
 * @returns {() => number}
 * @see https://en.wikipedia.org/wiki/Box%E2%80%93Muller_transform
 */
export function seededNormal(seed) {
  const uniform = seededUniform(seed);
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

/**
 * Uniform in [0, 1): the generator mulberry32.
 *
 * @param {number} seed
 */
function seededUniform(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
