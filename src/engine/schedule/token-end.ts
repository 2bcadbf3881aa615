/** How long a token of one kind of character is at most, in UTF-16 units, by kind. */
const MOST_UNITS = [16, 6, 3, 3, 3, 1] as const;

type Kind = 0 | 1 | 2 | 3 | 4 | 5;
const WHITE: Kind = 0;
const LETTER: Kind = 1;
const DIGIT: Kind = 2;
const PUNCTUATION: Kind = 3;
/** Alphabets other than Latin. */
const ALPHABET: Kind = 4;
/** CJK and halves of pairs: each unit is a token, so an emoji is two. */
const UNIT: Kind = 5;

const BLANK = 0x20;

const asciiKinds: readonly Kind[] = Array.from({ length: 0x80 }, (_, code): Kind => {
  const character = String.fromCharCode(code);
  if (/\s/.test(character)) return WHITE;
  if (/[a-z]/i.test(character)) return LETTER;
  return /\d/.test(character) ? DIGIT : PUNCTUATION;
});

/**
 * Where the token that begins at `start` ends. A blank belongs to what follows it, line ends to the
 * punctuation before them; it looks at most 17 units ahead, so any text takes linear time.
 */
export function tokenEnd(text: string, start: number): number {
  const kind = kindAt(text, start);
  if (kind !== WHITE) return runEnd(text, start, kind);
  const end = kindEnd(text, start, WHITE);
  const isBlankBefore = end < text.length && text.charCodeAt(end - 1) === BLANK;
  if (!isBlankBefore || kindAt(text, end) === WHITE) return end;
  return end - start === 1 ? runEnd(text, end, kindAt(text, end)) : end - 1;
}

function runEnd(text: string, start: number, kind: Kind): number {
  const end = kindEnd(text, start, kind);
  return kind === PUNCTUATION ? lineEndsEnd(text, end) : end;
}

function kindEnd(text: string, start: number, kind: Kind): number {
  const last = Math.min(text.length, start + MOST_UNITS[kind]);
  let end = start + 1;
  while (end < last && kindAt(text, end) === kind) end++;
  return end;
}

function lineEndsEnd(text: string, start: number): number {
  const last = Math.min(text.length, start + MOST_UNITS[WHITE]);
  let end = start;
  while (end < last && isLineEnd(text.charCodeAt(end))) end++;
  return end;
}

function isLineEnd(code: number): boolean {
  return code === 0x0a || code === 0x0d;
}

function kindAt(text: string, at: number): Kind {
  const code = text.charCodeAt(at);
  if (code < 0x80) return asciiKinds[code]!;
  if (code >= 0xc0 && code < 0x250) return LETTER;
  return code < 0x2e80 ? ALPHABET : UNIT;
}
