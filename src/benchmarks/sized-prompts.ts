import { JoulemarkError } from "../errors.ts";
import { type JsonReply, postJson } from "../target/json-client.ts";
import type { Target } from "../target/target.ts";
import { type CalibratedPrompts, calibratePrompts } from "../workloads/calibrate-prompts.ts";
import { promptBody } from "../workloads/workload.ts";
import type { WorkloadSpec } from "../workloads/workload-spec.ts";
import { askAgain } from "./ask-again.ts";

/** Prompts of one input length, as this server counts. */
export interface SizedPrompts {
  readonly inputTokens: number;
  readonly calibrated: CalibratedPrompts;
  /** The same prompts for the same number, others for another. */
  workload(number: number, outputTokens: number): WorkloadSpec;
}

export interface SizeOptions {
  readonly inputTokens: number;
  readonly seed: number;
  /** Limit of each question, in ms. */
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal;
}

/** How far apart the seeds of two workloads are: their prompts begin with different words. */
const SEED_STEP = 7919;

/**
 * Makes prompts of a wished length by the server's own count.
 *
 * @throws {JoulemarkError} `target_failed` when the server does not answer, `bad_option` for a
 *   length that cannot be made.
 */
export async function sizedPrompts(
  target: Target,
  { inputTokens, seed, timeoutMs, signal }: SizeOptions,
): Promise<SizedPrompts> {
  const calibrated = await calibratePrompts({
    targetTokens: inputTokens,
    seed,
    signal,
    count: (prompt) => promptTokens(target, prompt, { timeoutMs, signal }),
  });
  const { endpoint } = target;
  const expected = calibrated.isCalibrated
    ? { expectedInputTokens: calibrated.expectedTokens }
    : {};
  return {
    inputTokens,
    calibrated,
    workload: (number, outputTokens) => ({
      kind: "synthetic",
      endpoint,
      series: { ...calibrated.series, seed: seed + (number + 1) * SEED_STEP },
      outputTokens,
      ...expected,
    }),
  };
}

async function promptTokens(
  target: Target,
  prompt: string,
  { timeoutMs, signal }: { timeoutMs: number | undefined; signal: AbortSignal },
): Promise<number | null> {
  const body = {
    model: target.model,
    ...promptBody(prompt, target.endpoint),
    max_tokens: 1,
    temperature: 0,
    stream: false,
  };
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  const ask = (): Promise<JsonReply> =>
    postJson(target, target.requestUrl, body, { signal, ...limit });
  const reply = await askAgain(ask, signal);
  signal.throwIfAborted();
  if (reply.state === "error") {
    throw new JoulemarkError("target_failed", `no answer to a prompt: ${reply.message}`);
  }
  const usage = (reply.json as { readonly usage?: { readonly prompt_tokens?: unknown } } | null)
    ?.usage;
  return typeof usage?.prompt_tokens === "number" ? usage.prompt_tokens : null;
}
