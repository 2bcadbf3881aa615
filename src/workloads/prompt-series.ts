import { JoulemarkError } from "../errors.ts";
import { randomBelow, seededRandom, shuffle } from "../stats/seeded-random.ts";
import { PROMPT_WORDS } from "./prompt-words.ts";

/** What makes a series of prompts: the same on every machine, and plain enough to send to a thread. */
export interface PromptSeriesOptions {
  /** A whole number; its lowest 32 bits count. */
  readonly seed: number;
  /** Words in each prompt, at least 1. */
  readonly words: number;
  /** Share of the words, from the first on, that all prompts have in common, 0 to 1; default 0. */
  readonly sharedPrefixShare?: number;
  /** Stands after the words of every prompt, in a paragraph of its own; default nothing. */
  readonly ending?: string;
}

/** Prompts of the same length, each different from its first word on. */
export interface PromptSeries {
  readonly words: number;
  /** How many different prompts there are: indexes reach from 0 to one below. */
  readonly distinctPrompts: number;
  promptFor(index: number): string;
  /** A prompt that is none of the above, to ask the server about without warming its cache. */
  probeFor(index: number): string;
}

/** Asks a model to go on, so that it does not stop before its output budget is spent. */
export const KEEP_GOING_ENDING =
  "Continue this list with other words, one after another, and do not stop.";

/** Prompts that are kept back for probes. */
const PROBES = 64;
/** So many words after the second one may change their places, when there are too many prompts. */
const SWAPS = 3;
/** How far apart in the round neighbouring prompts begin. */
const START_STEP = 37;
const MAX_PROMPTS = 2 ** 31;

/**
 * A series of prompts.
 *
 * The first word is another one in any 512 prompts in a row. After it all prompts have the same words
 * in the same round, each beginning elsewhere in it, so that their token counts hardly differ. When a
 * first word comes back, the second differs, and so on. With a shared prefix all this holds from the
 * first word after it.
 *
 * @throws {JoulemarkError} `bad_option` when a value makes no prompt.
 */
export function promptSeries(options: PromptSeriesOptions): PromptSeries {
  const { seed, words, sharedPrefixShare = 0, ending } = checked(options);
  const random = seededRandom(seed, -1);
  const order = [...PROMPT_WORDS];
  shuffle(order, random);
  const step = 1 + 2 * randomBelow(random, order.length / 2); // Odd: it visits every word.
  const prefixWords = Math.round(sharedPrefixShare * words);
  const ordered = Array.from({ length: words }, (_, i) => order[i % order.length]!);
  const prefix = ordered.slice(0, prefixWords);
  const rest = ordered.slice(prefixWords + 1);
  const available = prefixWords === words ? 1 : order.length * arrangements(rest.length);
  const tail = ending ? `\n\n${ending}` : "";

  const compose = (index: number): string => {
    if (prefixWords === words) return prefix.join(" ") + tail;
    const head = index % order.length;
    const others = arranged(rest, Math.floor(index / order.length), head * START_STEP);
    return [...prefix, order[(head * step) % order.length]!, ...others].join(" ") + tail;
  };
  const distinctPrompts = available === 1 ? 1 : Math.min(available, MAX_PROMPTS) - PROBES;
  return {
    words,
    distinctPrompts,
    promptFor: (index) => compose(requireIndex(index, distinctPrompts, words)),
    probeFor: (index) => compose(distinctPrompts + (index % PROBES)),
  };
}

/** How many prompts the words after the first can tell apart. */
function arrangements(words: number): number {
  let count = starts(words);
  for (let i = 1; i <= SWAPS; i++) count *= choices(words, i);
  return count;
}

/** Where the round may begin, such that as many words as the list has follow without a repeat. */
function starts(words: number): number {
  const listed = PROMPT_WORDS.length;
  return words <= listed ? Math.max(1, words) : Math.min(listed, words - listed + 1);
}

/** Which words may come to a place, when those before it are set. */
function choices(words: number, place: number): number {
  return Math.max(1, Math.min(words, PROMPT_WORDS.length) - place);
}

/**
 * The words in the round from the place that `number` says, moved on by `shift`. A number beyond the
 * round's length goes on to swap the words that follow.
 */
function arranged(words: readonly string[], number: number, shift: number): string[] {
  const start = (number + shift) % starts(words.length);
  const round = [...words.slice(start), ...words.slice(0, start)];
  let left = Math.floor(number / starts(words.length));
  for (let i = 1; i <= SWAPS && left > 0; i++) {
    const radix = choices(words.length, i);
    const j = i + (left % radix);
    left = Math.floor(left / radix);
    [round[i], round[j]] = [round[j]!, round[i]!];
  }
  return round;
}

function checked(options: PromptSeriesOptions): PromptSeriesOptions {
  const { seed, words, sharedPrefixShare = 0 } = options;
  if (!Number.isSafeInteger(seed)) throw badOption(`the seed ${seed} is not a whole number`);
  if (!Number.isSafeInteger(words) || words < 1) {
    throw badOption(`a prompt cannot have ${words} words: it needs a whole number from 1 on`);
  }
  if (!(sharedPrefixShare >= 0 && sharedPrefixShare <= 1)) {
    throw badOption(`a shared prefix of ${sharedPrefixShare} is no share: it must be 0 to 1`);
  }
  return options;
}

function requireIndex(index: number, distinctPrompts: number, words: number): number {
  if (distinctPrompts === 1) return 0;
  if (Number.isSafeInteger(index) && index >= 0 && index < distinctPrompts) return index;
  throw badOption(
    `there is no prompt ${index}: of ${words} words there are ${distinctPrompts} different prompts, from 0 on; ask for fewer requests or a longer input`,
  );
}

function badOption(message: string): JoulemarkError {
  return new JoulemarkError("bad_option", message);
}
