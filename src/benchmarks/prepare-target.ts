import { JoulemarkError } from "../errors.ts";
import type { RequestSettings } from "../load/request-body.ts";
import type { ErrorOutcome, RequestOutcome } from "../stream/request-outcome.ts";
import { streamRequest } from "../stream/stream-request.ts";
import { detectModel } from "../target/detect-model.ts";
import { probe } from "../target/probe.ts";
import type { Target } from "../target/target.ts";
import { promptBody } from "../workloads/workload.ts";
import { askAgain } from "./ask-again.ts";

/** A target that answers, and how it is to be asked. */
export interface PreparedTarget {
  readonly target: Target;
  readonly model: string;
  readonly settings: RequestSettings;
  /** What the probe told. */
  readonly systemFingerprint: string | null;
  readonly warnings: readonly string[];
}

export interface PrepareOptions {
  /** Fields that go into every body. */
  readonly extraBody: Readonly<Record<string, unknown>>;
  /** Fields that are given up one after the other, with a warning, where the server refuses them. */
  readonly wishes?: readonly Readonly<Record<string, unknown>>[];
  /** Asks for exactly the workload's output length, where the server takes such fields. */
  readonly hasFixedLength: boolean;
  /** Limit of each request, in ms; default that of a probe. */
  readonly timeoutMs?: number;
}

const TRIAL_PROMPT = "Say hello.";
const TRIAL_TOKENS = 4;

/**
 * Finds the model, sends one checked request, and finds out by a streamed one which fields the
 * server takes.
 *
 * @throws {JoulemarkError} `bad_option` where `--model` is needed, `target_failed` where the target
 *   does not answer as it should.
 */
export async function prepareTarget(
  asked: Target,
  options: PrepareOptions,
  signal: AbortSignal,
): Promise<PreparedTarget> {
  const model = asked.model ?? (await modelOf(asked, signal));
  const named = asked.withModel(model);
  const { extraBody, timeoutMs } = options;
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  const probed = await askAgain(() => probe(named, { extraBody, signal, ...limit }), signal);
  if (probed.state === "error") {
    throw new JoulemarkError("target_failed", `the target does not answer: ${probed.message}`);
  }
  const target = probed.address === undefined ? named : named.withAddress(probed.address);
  const { settings, warnings } = await acceptedSettings(target, options, signal);
  return {
    target,
    model,
    settings: { ...settings, model },
    systemFingerprint: probed.systemFingerprint,
    warnings: [...probed.warnings, ...warnings],
  };
}

async function modelOf(target: Target, signal: AbortSignal): Promise<string> {
  const detected = await detectModel(target, { signal });
  if (detected.state === "found") return detected.model;
  throw new JoulemarkError(
    detected.reason === "no_answer" ? "target_failed" : "bad_option",
    detected.message,
  );
}

interface Accepted {
  readonly settings: RequestSettings;
  readonly warnings: readonly string[];
}

/** What is asked for; the less of it, the more servers take it. */
interface Asking {
  readonly wishes: readonly Readonly<Record<string, unknown>>[];
  readonly hasFixedLength: boolean;
  readonly includeUsage: boolean;
}

/** Gives up, one after the other, what a server may refuse; what it takes is asked for from then on. */
async function acceptedSettings(
  target: Target,
  { extraBody, wishes = [], hasFixedLength, timeoutMs }: PrepareOptions,
  signal: AbortSignal,
): Promise<Accepted> {
  let asking: Asking = { wishes, hasFixedLength, includeUsage: true };
  const warnings: string[] = [];
  for (;;) {
    const { wishes: left, ...rest } = asking;
    const settings: RequestSettings = { ...rest, fields: Object.assign({}, ...left, extraBody) };
    const outcome = await askAgain(() => trial(target, settings, { timeoutMs, signal }), signal);
    signal.throwIfAborted();
    if (outcome.state === "ok") return { settings, warnings };
    const less = isRefusal(outcome) ? withLess(asking) : undefined;
    if (less === undefined) throw failedTrial(target, outcome);
    asking = less.asking;
    warnings.push(`${less.warning} (HTTP ${outcome.httpStatus}: ${outcome.errorMessage})`);
  }
}

async function trial(
  target: Target,
  { fields, hasFixedLength, includeUsage }: RequestSettings,
  { timeoutMs, signal }: { timeoutMs: number | undefined; signal: AbortSignal },
): Promise<RequestOutcome> {
  const body = {
    model: target.model,
    ...promptBody(TRIAL_PROMPT, target.endpoint),
    ...fields,
    max_tokens: TRIAL_TOKENS,
    ...(hasFixedLength && { min_tokens: TRIAL_TOKENS, ignore_eos: true }),
  };
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  return streamRequest(target, body, { includeUsage: includeUsage ?? true, signal, ...limit });
}

/** A server that does not know a field says so with one of these. */
function isRefusal({ httpStatus }: ErrorOutcome): boolean {
  return httpStatus === 400 || httpStatus === 422;
}

function withLess(asking: Asking): { asking: Asking; warning: string } | undefined {
  const [wish, ...wishes] = asking.wishes;
  if (wish !== undefined) {
    const names = Object.keys(wish).join(", ");
    return { asking: { ...asking, wishes }, warning: `the server refuses ${names}: asked without` };
  }
  if (asking.hasFixedLength) {
    return {
      asking: { ...asking, hasFixedLength: false },
      warning:
        "the server refuses ignore_eos and min_tokens: replies may end before they have the length asked for",
    };
  }
  if (asking.includeUsage) {
    return {
      asking: { ...asking, includeUsage: false },
      warning:
        "the server refuses stream_options: tokens are counted by events, which is an estimate",
    };
  }
  return undefined;
}

function failedTrial(target: Target, { errorKind, errorMessage, httpStatus }: ErrorOutcome): Error {
  const status = httpStatus === null ? "" : ` (HTTP ${httpStatus})`;
  return new JoulemarkError(
    "target_failed",
    `${target.shownUrl} does not stream as it should: ${errorKind}${status}: ${errorMessage}`,
  );
}
