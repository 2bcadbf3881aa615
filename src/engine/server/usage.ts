import type { Generation } from "./generation.ts";

/** The `usage` of a reply; with several choices, of all of them together. */
export function usageOf(
  generations: readonly Generation[],
  repliesPerPrompt: number,
  factor = 1,
): object {
  const sum = (read: (generation: Generation) => number): number =>
    generations.reduce((total, generation) => total + read(generation), 0);
  // A prompt counts once, however many replies it gets.
  const perPrompt = (read: (generation: Generation) => number): number =>
    generations.reduce(
      (total, one) => (one.plan.choice % repliesPerPrompt === 0 ? total + read(one) : total),
      0,
    );
  const promptTokens = Math.round(perPrompt(({ plan }) => plan.promptTokens) * factor);
  const completionTokens = Math.round(sum(({ tokens }) => tokens) * factor);
  const accepted = sum(({ acceptedDraftTokens }) => acceptedDraftTokens);
  const drafted = sum(({ draftTokens }) => draftTokens);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: perPrompt(({ cachedTokens }) => cachedTokens) },
    ...(drafted > 0 && {
      completion_tokens_details: {
        accepted_prediction_tokens: accepted,
        rejected_prediction_tokens: drafted - accepted,
      },
    }),
  };
}

/**
 * The server's own times of one reply, as llama.cpp gives them: waiting is in none of them. The
 * rate of tokens leaves the first out, whose time is that of the prompt.
 */
export function timingsOf(generation: Generation): object {
  const { plan, tokens, cachedTokens, admittedNs, firstTokenNs, lastTokenNs } = generation;
  const promptMs = (firstTokenNs - admittedNs) / 1e6;
  const predictedMs = (lastTokenNs - firstTokenNs) / 1e6;
  const computedTokens = plan.promptTokens - cachedTokens;
  return {
    cache_n: cachedTokens,
    prompt_n: computedTokens,
    prompt_ms: promptMs,
    prompt_per_second: rate(computedTokens, promptMs),
    predicted_n: tokens,
    predicted_ms: predictedMs,
    predicted_per_second: rate(tokens - 1, predictedMs),
    ...(generation.draftTokens > 0 && {
      draft_n: generation.draftTokens,
      draft_n_accepted: generation.acceptedDraftTokens,
    }),
  };
}

/** Absent where there was no time to divide by. */
function rate(tokens: number, ms: number): number | undefined {
  return ms > 0 ? tokens / (ms / 1000) : undefined;
}
