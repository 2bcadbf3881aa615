/** A text as its UTF-8 bytes, one character each, that knows where in the first text each came from. */
export interface DecodedText {
  readonly bytes: string;
  /** The same with ASCII letters in lower case, and a space for the `+` that forms make of one. */
  readonly lowered: string;
  /** Where the unit that holds this byte starts in the first text. */
  startOf(at: number): number;
  endOf(at: number): number;
}

/** One escape: percent, JSON or HTML. */
const ESCAPE =
  /%([\da-f]{2})|\\u([\da-f]{4})|\\(["\\/])|&#x([\da-f]{1,4});|&#(\d{1,5});|&(amp|lt|gt|quot|apos);/gi;

const CHARACTER_BY_ENTITY: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/** The text with nothing decoded. */
export function rawText(text: string): DecodedText {
  // Most texts are ASCII, where a byte is a character and no table is needed.
  if (Buffer.byteLength(text) === text.length) {
    return withLowered(
      text,
      (at) => at,
      (at) => at + 1,
    );
  }
  const pieces: Piece[] = [];
  let at = 0;
  for (const character of text) {
    pieces.push({ bytes: utf8(character), start: at, end: at + character.length });
    at += character.length;
  }
  return joined(pieces);
}

/** The text with each escape replaced by what it stands for; `undefined` where there is none. */
export function decodeOnce(text: DecodedText): DecodedText | undefined {
  const pieces: Piece[] = [];
  let done = 0;
  const keepUntil = (end: number): void => {
    for (; done < end; done++) {
      pieces.push({ bytes: text.bytes[done]!, start: text.startOf(done), end: text.endOf(done) });
    }
  };
  for (const match of text.bytes.matchAll(ESCAPE)) {
    keepUntil(match.index);
    done = match.index + match[0].length;
    const [start, end] = [text.startOf(match.index), text.endOf(done - 1)];
    pieces.push({ bytes: decodedBytes(match), start, end });
  }
  if (done === 0) return undefined;
  keepUntil(text.bytes.length);
  return joined(pieces);
}

interface Piece {
  readonly bytes: string;
  readonly start: number;
  readonly end: number;
}

function decodedBytes([, percent, json, plain, hex, decimal, entity]: RegExpMatchArray): string {
  if (percent !== undefined) return String.fromCharCode(Number.parseInt(percent, 16));
  if (plain !== undefined) return plain;
  if (entity !== undefined) return CHARACTER_BY_ENTITY[entity.toLowerCase()] ?? "";
  const code = decimal === undefined ? Number.parseInt(json ?? hex ?? "", 16) : Number(decimal);
  return utf8(String.fromCharCode(code));
}

function joined(pieces: readonly Piece[]): DecodedText {
  const starts: number[] = [];
  const ends: number[] = [];
  for (const { bytes, start, end } of pieces) {
    for (let at = 0; at < bytes.length; at++) {
      starts.push(start);
      ends.push(end);
    }
  }
  const bytes = pieces.map((piece) => piece.bytes).join("");
  return withLowered(
    bytes,
    (at) => starts[at]!,
    (at) => ends[at]!,
  );
}

function withLowered(
  bytes: string,
  startOf: (at: number) => number,
  endOf: (at: number) => number,
): DecodedText {
  return { bytes, lowered: lowerAscii(bytes), startOf, endOf };
}

/** As `lowered` of a {@link DecodedText}. */
export function lowerAscii(bytes: string): string {
  return bytes.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).replaceAll("+", " ");
}

function utf8(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}
