/** Numbers in [0, 1) that look random and are the same on every machine for the same seed. */
export type Random = () => number;

/**
 * A stream of numbers for a seed and, so that nobody's draws move another's, a place in it.
 *
 * Own code, because what it draws is part of a benchmark: an update of a library must not change it.
 *
 * @param seed - a whole number; its lowest 32 bits count.
 * @param stream - as `seed`; different ones give unrelated streams.
 * @see https://github.com/bryc/code/blob/master/jshash/PRNGs.md (splitmix32, public domain)
 */
export function seededRandom(seed: number, stream = 0): Random {
  let state = mix((mix(seed + 0x5bd1e995) + stream) | 0);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    return (mix(state) >>> 0) / 2 ** 32;
  };
}

/** A whole number in [0, below). */
export function randomBelow(random: Random, below: number): number {
  return Math.floor(random() * below);
}

/** Puts the items from `from` on into a random order, in place (Fisher–Yates). */
export function shuffle<T>(items: T[], random: Random, from = 0): void {
  for (let i = items.length - 1; i > from; i--) {
    const j = from + randomBelow(random, i - from + 1);
    [items[i], items[j]] = [items[j]!, items[i]!];
  }
}

function mix(value: number): number {
  let bits = value ^ (value >>> 16);
  bits = Math.imul(bits, 0x21f0aaad);
  bits ^= bits >>> 15;
  bits = Math.imul(bits, 0x735a2d97);
  return bits ^ (bits >>> 15);
}
