import { mixKeys } from "./keys.ts";
import { REPLY_WORDS } from "./reply-words.ts";

/** One token of so many ends a sentence, one of so many is a comma; even numbers. */
const SENTENCE_TOKENS = 14;
const COMMA_TOKENS = 24;
/** One of so many sentences ends its line. */
const LINE_SENTENCES = 5;

const capitalWords = REPLY_WORDS.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
const blankWords = REPLY_WORDS.map((word) => ` ${word}`);
const blankCapitalWords = capitalWords.map((word) => ` ${word}`);

/**
 * Text of one token of a reply: ASCII that reads like English from afar, with the blank before the
 * word in its token, as models have it. It depends on key and place alone; a whole reply comes to
 * as many tokens when it is tokenized again.
 *
 * @param place - of the token in the reply, from 0.
 */
export function replyTokenText(key: number, place: number): string {
  const mark = markAt(key, place);
  if (mark !== undefined) return mark;
  const word = mixKeys(key, place) % REPLY_WORDS.length;
  const markBefore = place === 0 ? "\n" : markAt(key, place - 1);
  if (markBefore === undefined || markBefore === ",") return blankWords[word]!;
  return markBefore === "." ? blankCapitalWords[word]! : capitalWords[word]!;
}

/** The punctuation at a place: at odd ones only, so that no two follow each other. */
function markAt(key: number, place: number): string | undefined {
  if (place % 2 === 0) return undefined;
  const draw = Math.floor(mixKeys(key, place) / REPLY_WORDS.length);
  if (draw % (SENTENCE_TOKENS / 2) === 0)
    return Math.floor(draw / SENTENCE_TOKENS) % LINE_SENTENCES === 0 ? ".\n" : ".";
  return draw % (COMMA_TOKENS / 2) === 0 ? "," : undefined;
}
