import { JoulemarkError } from "../errors.ts";
import { type PromptSeries, type PromptSeriesOptions, promptSeries } from "./prompt-series.ts";
import { searchLength } from "./search-length.ts";

export interface CalibrateOptions extends Omit<PromptSeriesOptions, "seed" | "words"> {
  /** How many tokens the server shall count for each prompt, chat template included. */
  readonly targetTokens: number;
  /**
   * Asks the server how many tokens a prompt is: its own `prompt_tokens`, and nothing else. Cached
   * tokens count too. `null` when the server does not tell. What it throws ends the calibration.
   */
  readonly count: (prompt: string, signal?: AbortSignal) => Promise<number | null>;
  /** Default 0. */
  readonly seed?: number;
  /** How far a prompt may lie from the target, in tokens; default 2 or 2 %, whichever is more. */
  readonly toleranceTokens?: number;
  readonly signal?: AbortSignal;
}

interface Calibration {
  /** Makes the same prompts again, in another thread for example. */
  readonly series: PromptSeriesOptions;
  readonly distinctPrompts: number;
  promptFor(index: number): string;
  /** How often the server was asked. */
  readonly probes: number;
  readonly targetTokens: number;
  readonly toleranceTokens: number;
}

/** Prompts of a wished length, and whether the server has confirmed that length. */
export type CalibratedPrompts =
  | (Calibration & {
      readonly isCalibrated: true;
      /** What the server counted for such prompts, on average, rounded. */
      readonly expectedTokens: number;
      /** The largest distance from the target among those that were probed. */
      readonly maxDeviationTokens: number;
      /** Whether that is within `toleranceTokens`; if not, no other length does better. */
      readonly isWithinTolerance: boolean;
      /** Tokens that one more word adds, on average. */
      readonly tokensPerWord: number;
      /** Tokens of a prompt without a word: about the chat template and the ending. */
      readonly overheadTokens: number;
    })
  | (Calibration & {
      /** The prompts' length in tokens is not known: do not report it. */
      readonly isCalibrated: false;
      readonly why: string;
    });

/**
 * Finds out how many words make a prompt of `targetTokens`: by 7 probes with the tokenizers of
 * today's models, by 22 at most with a tokenizer that follows no rule.
 *
 * No tokenizer is guessed: the server's own count decides. Probes are prompts that the series itself
 * never gives out, so no cache is warmed for what is to be measured.
 *
 * @throws {JoulemarkError} `bad_option` when not even one word is short enough.
 */
export async function calibratePrompts(options: CalibrateOptions): Promise<CalibratedPrompts> {
  const { targetTokens, count, signal, seed = 0, sharedPrefixShare, ending } = options;
  const { toleranceTokens = Math.max(2, 0.02 * targetTokens) } = options;
  requireTarget(targetTokens);
  let probes = 0;
  const seriesOf = (words: number): PromptSeriesOptions => ({
    seed,
    words,
    ...(sharedPrefixShare === undefined ? {} : { sharedPrefixShare }),
    ...(ending === undefined ? {} : { ending }),
  });
  const probe = async (words: number): Promise<number | undefined> => {
    signal?.throwIfAborted();
    const prompt = promptSeries(seriesOf(words)).probeFor(probes++);
    const tokens = await count(prompt, signal);
    return tokens !== null && tokens > 0 && tokens < Infinity ? tokens : undefined;
  };
  const found = await searchLength(targetTokens, probe);
  const series = seriesOf(found.words);
  const base = { ...prompts(promptSeries(series)), series, probes, targetTokens, toleranceTokens };
  if (found.state === "unknown") return { ...base, isCalibrated: false, why: found.why };

  const { words, counts, tokensPerWord, overheadTokens } = found;
  const least = Math.min(...counts);
  const maxDeviationTokens = Math.max(Math.max(...counts) - targetTokens, targetTokens - least);
  const isWithinTolerance = maxDeviationTokens <= toleranceTokens;
  if (!isWithinTolerance && words === 1 && least > targetTokens) {
    throw unreachable(targetTokens, least);
  }
  return {
    ...base,
    isCalibrated: true,
    expectedTokens: Math.round(counts.reduce((sum, tokens) => sum + tokens, 0) / counts.length),
    maxDeviationTokens,
    isWithinTolerance,
    tokensPerWord,
    overheadTokens,
  };
}

function prompts({ distinctPrompts, promptFor }: PromptSeries): {
  distinctPrompts: number;
  promptFor: (index: number) => string;
} {
  return { distinctPrompts, promptFor };
}

function requireTarget(targetTokens: number): void {
  if (Number.isSafeInteger(targetTokens) && targetTokens >= 1) return;
  throw new JoulemarkError(
    "bad_option",
    `an input of ${targetTokens} tokens cannot be made: it needs a whole number from 1 on`,
  );
}

function unreachable(targetTokens: number, leastTokens: number): JoulemarkError {
  return new JoulemarkError(
    "bad_option",
    `an input of ${targetTokens} tokens cannot be made: the server counts ${leastTokens} tokens for a prompt of one word, most of them its chat template; ask for ${leastTokens} or more`,
  );
}
