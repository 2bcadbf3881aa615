import { seededRandom } from "../../src/stats/seeded-random.ts";

/** Counts the tokens of a text. */
export type Tokenizer = (text: string) => number;

export const perCharacter: Tokenizer = (text) => text.length;

export const perWord: Tokenizer = (text) => text.split(/\s+/).filter(Boolean).length;

/** A word and its space are one token; what has no space before it is spelt out. */
export const wordPieces: Tokenizer = (text) =>
  [...text.matchAll(/ [a-z]+|[A-Za-z]|[^A-Za-z]/g)].length;

/**
 * Like byte-pair encoding with merges that nobody chose well: the longest piece that is in a random
 * vocabulary of two to five characters, else one character.
 *
 * @param crossesSpaces - whether a piece may hold the end of one word and the start of the next.
 */
export function randomMerges(seed: number, crossesSpaces: boolean): Tokenizer {
  const isMerged = (piece: string): boolean => {
    if (!crossesSpaces && piece.lastIndexOf(" ") > 0) return false;
    let hash = seed;
    for (const char of piece) hash = (Math.imul(hash, 31) + char.codePointAt(0)!) | 0;
    return seededRandom(hash)() < [0, 0, 0.6, 0.4, 0.3, 0.3][piece.length]!;
  };
  const known = new Map<string, boolean>();
  const isKnown = (piece: string): boolean => {
    const answer = known.get(piece) ?? isMerged(piece);
    known.set(piece, answer);
    return answer;
  };
  return (text) => {
    let tokens = 0;
    for (let at = 0; at < text.length; tokens++) {
      let length = Math.min(5, text.length - at);
      while (length > 1 && !isKnown(text.slice(at, at + length))) length--;
      at += length;
    }
    return tokens;
  };
}
