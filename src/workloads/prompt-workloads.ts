import { CODE_PROMPT, type CodePrompt } from "./code-prompt.ts";
import { type PromptSeriesOptions, promptSeries } from "./prompt-series.ts";
import { type Endpoint, promptBody, type Workload } from "./workload.ts";

export interface SyntheticWorkloadOptions {
  readonly endpoint: Endpoint;
  /** The prompts, as `calibratePrompts` found them. */
  readonly series: PromptSeriesOptions;
  /** What the server counts for each; only from a calibration, never a guess. */
  readonly expectedInputTokens?: number;
  readonly outputTokens?: number;
}

/** Synthetic prompts of one length, no two alike. */
export function syntheticWorkload(options: SyntheticWorkloadOptions): Workload {
  const { endpoint, series, expectedInputTokens, outputTokens } = options;
  const { distinctPrompts, promptFor } = promptSeries(series);
  const known = {
    ...(expectedInputTokens === undefined ? {} : { expectedInputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
  };
  return {
    name: "synthetic",
    distinctRequests: distinctPrompts,
    requestAt: (index) => ({ body: promptBody(promptFor(index), endpoint), ...known }),
  };
}

/** The one prompt of the decode-floor benchmark, over and over. */
export function codePromptWorkload(
  endpoint: Endpoint,
  outputTokens: number,
  prompt: CodePrompt = CODE_PROMPT,
): Workload {
  const request = { body: promptBody(prompt.text, endpoint), outputTokens };
  return { name: prompt.version, distinctRequests: 1, requestAt: () => request };
}
