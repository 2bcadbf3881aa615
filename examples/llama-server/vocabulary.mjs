// @ts-check

/** How llama.cpp calls the kinds of tokens of a SentencePiece vocabulary. */
const KIND = { normal: 1, unknown: 2, control: 3, byte: 6 };

/** SentencePiece writes a space so. */
const SPACE = "\u2581";

/** @typedef {{ text: string; score: number; kind: number }} Token */

export const UNKNOWN_ID = 0;
export const BEGIN_ID = 1;
export const END_ID = 2;
/** Tokens up to here are no words: three specials, then one for each byte. */
export const FIRST_WORD_ID = 3 + 256;

/**
 * A small vocabulary that can spell everything: a token for each byte, the common characters, and
 * syllables with and without a space before them.
 *
 * @param {number} size - how many tokens; at least 400.
 * @returns {Token[]}
 */
export function vocabulary(size) {
  /** @type {Token[]} */
  const tokens = [
    { text: "<unk>", score: 0, kind: KIND.unknown },
    { text: "<s>", score: 0, kind: KIND.control },
    { text: "</s>", score: 0, kind: KIND.control },
  ];
  for (let byte = 0; byte < 256; byte++) {
    const text = `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`;
    tokens.push({ text, score: 0, kind: KIND.byte });
  }
  const words = new Set([SPACE, ...CHARACTERS, ...SYLLABLES.map((word) => SPACE + word)]);
  for (const text of [...words, ...SYLLABLES.filter((word) => !words.has(word))]) {
    // The tokenizer joins what has the higher score first.
    if (tokens.length < size)
      tokens.push({ text, score: FIRST_WORD_ID - tokens.length, kind: KIND.normal });
  }
  return tokens;
}

const CHARACTERS = "etaoinshrdlcumwfgypbvkjxqzETAOINSHRDLCUMWFGYPBVKJXQZ0123456789.,:;!?'\"-()\n";

const SYLLABLES = ["", ..."bcdfghklmnprstvw", "st", "tr", "ch", "sh", "pr"].flatMap((start) =>
  ["a", "e", "i", "o", "u", "ea", "ou"].flatMap((vowel) =>
    ["", "n", "r", "s", "t", "l", "m", "nd", "ng"].map((end) => start + vowel + end),
  ),
);
