import { type ChoicePiece, choicePiece } from "./chunk-choice.ts";
import { asArray, asObject, asText, parseJson } from "./json-value.ts";
import { errorIn } from "./server-error.ts";
import { serverTimingsOf, usageOf } from "./usage.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;

/** Names under which servers send a token's text, up to the quote that opens it. */
const TEXT_OPENS = /"(?:content|text|reasoning_content|reasoning)": ?"/g;
/** Two texts that are put in one after the other, to see that just they come out. */
const PROBES = ["joulemark?", "is it 7"] as const;
/** An event longer than this, in bytes, or with more places for a text, is not worth a template. */
const LONGEST_EVENT = 16_384;
const MOST_PLACES = 8;

/**
 * One token event of a reply, as a pattern for those that follow: nearly all are the same bytes
 * with another text between two quotes.
 *
 * What it matches means exactly what `JSON.parse` and `choicePiece` would make of it. A text
 * without quote, backslash and control character stands for itself in JSON, so if one text is seen
 * to come out whole and to change nothing else, every other one does too.
 */
export class ChunkTemplate {
  /** The choice that its text belongs to. */
  readonly index: number;
  readonly isReasoning: boolean;
  /** The model that it names; empty where it names none. */
  readonly model: string;
  /** Of the last match: where its text stands, and whether it is ASCII. */
  textStart = 0;
  textEnd = 0;
  isAscii = true;
  readonly #before: Buffer;
  readonly #behind: Buffer;

  private constructor(before: Buffer, behind: Buffer, piece: ChoicePiece, model: string) {
    // Copies: the arena goes back while this may still be looked at.
    this.#before = Buffer.from(before);
    this.#behind = Buffer.from(behind);
    this.index = piece.index;
    this.isReasoning = piece.reasoning !== "";
    this.model = model;
  }

  /** Makes one of the event at `start` to `end`, blank line included, if it is a plain token event. */
  static from(bytes: Buffer, start: number, end: number): ChunkTemplate | undefined {
    if (end - start > LONGEST_EVENT) return undefined;
    const event = bytes.toString("latin1", start, end);
    const isOneLine = event.indexOf("\n") === event.length - 2 && !event.includes("\r");
    if (!isOneLine || !event.startsWith("data:")) return undefined;
    let places = 0;
    for (const { 0: open, index } of event.matchAll(TEXT_OPENS)) {
      if (++places > MOST_PLACES) return undefined;
      const textStart = index + open.length;
      const textEnd = event.indexOf('"', textStart);
      const before = bytes.subarray(start, start + textStart);
      const behind = bytes.subarray(start + textEnd, end);
      const found = textEnd === -1 ? undefined : plainToken(before, behind);
      if (found !== undefined) return new ChunkTemplate(before, behind, ...found);
    }
    return undefined;
  }

  /** The offset behind the event that begins at `at`, if it is like this one; else -1. */
  match(bytes: Buffer, at: number, length: number): number {
    const before = this.#before;
    const behind = this.#behind;
    if (at + before.length + behind.length >= length) return -1;
    for (let i = 0; i < before.length; i++) if (bytes[at + i] !== before[i]) return -1;
    const textStart = at + before.length;
    let textEnd = textStart;
    let seen = 0;
    for (let byte = bytes[textEnd]!; byte !== QUOTE; byte = bytes[textEnd]!) {
      if (byte === BACKSLASH || byte < FIRST_PRINTABLE) return -1;
      seen |= byte;
      if (++textEnd === length) return -1;
    }
    // An empty text is no token.
    const end = textEnd + behind.length;
    if (textEnd === textStart || end > length) return -1;
    for (let i = 1; i < behind.length; i++) if (bytes[textEnd + i] !== behind[i]) return -1;
    this.textStart = textStart;
    this.textEnd = textEnd;
    this.isAscii = seen < 0x80;
    return end;
  }
}

/** What the chunk says, if all that it says is one text of one choice. */
function plainToken(before: Buffer, behind: Buffer): [ChoicePiece, model: string] | undefined {
  const [first, second] = PROBES.map((probe) => plainTokenWith(before, probe, behind));
  return second === undefined ? undefined : first;
}

function plainTokenWith(
  before: Buffer,
  probe: string,
  behind: Buffer,
): [ChoicePiece, model: string] | undefined {
  const data = `${before.toString("utf8", "data:".length)}${probe}${behind.toString("utf8")}`;
  const chunk = asObject(parseJson(data));
  if (chunk === undefined || errorIn(chunk) || usageOf(chunk) || serverTimingsOf(chunk)) {
    return undefined;
  }
  const choices = asArray(chunk["choices"]);
  const piece = choices.length === 1 ? choicePiece(choices[0], 0) : undefined;
  if (piece === undefined || piece.finishReason !== null || piece.toolCalls.length > 0) {
    return undefined;
  }
  return piece.text + piece.reasoning === probe ? [piece, asText(chunk["model"])] : undefined;
}
