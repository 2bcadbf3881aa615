import { ApiError } from "./api-error.ts";
import { promptOfMessages } from "./chat-template.ts";
import type { CompletionRequest, Prompt } from "./completion-request.ts";
import { type RequestFault, requestFaultShape } from "./fault.ts";
import { isObject, RequestFields, shown } from "./request-fields.ts";

/** Far more than any benchmark asks for, and little enough to hold. */
const MOST_REPLIES = 128;
const MOST_PROMPTS = 1024;
const MOST_STOPS = 16;
const MOST_TOKENS = 2 ** 31;

/** Fields that mean something here; others that servers know are taken and change nothing. */
const KNOWN_FIELDS = new Set(
  [
    "model messages prompt stream stream_options max_tokens max_completion_tokens min_tokens",
    "ignore_eos stop seed n fault timings timings_per_token temperature top_p top_k min_p user",
    "presence_penalty frequency_penalty repetition_penalty logit_bias logprobs top_logprobs",
    "response_format tools tool_choice parallel_tool_calls metadata store service_tier",
    "reasoning_effort chat_template_kwargs cache_prompt echo suffix best_of add_generation_prompt",
    "skip_special_tokens stop_token_ids priority id_slot n_predict",
  ].flatMap((line) => line.split(" ")),
);

/** How strict the server is with fields. */
export interface FieldRules {
  /** Refuses fields that it does not know, as OpenAI does; else they change nothing. */
  readonly isStrict: boolean;
  /** Refuses these although it knows them, as a server that is older would. */
  readonly refused: readonly string[];
}

interface ReadRequest {
  /** The one that was asked for; absent where the body names none. */
  readonly model: string | undefined;
  readonly request: CompletionRequest;
}

/**
 * Reads the body of a request for text.
 *
 * @throws {ApiError} 400 for anything that is not as it should be, with its field in `param`.
 */
export function readRequest(bodyText: string, isChat: boolean, rules: FieldRules): ReadRequest {
  const fields = new RequestFields(parsed(bodyText));
  refuseFields(fields, rules);
  for (const [name, least, most] of [
    ["temperature", 0, 2],
    ["top_p", 0, 1],
    ["presence_penalty", -2, 2],
    ["frequency_penalty", -2, 2],
  ] as const)
    fields.checkNumber(name, least, most);
  if (fields.flag("echo")) throw new ApiError(400, "echo is not simulated.", { param: "echo" });
  const request: CompletionRequest = {
    isChat,
    prompts: isChat ? [promptOfMessages(fields.value("messages"))] : promptsOf(fields),
    n: fields.count("n", 1, MOST_REPLIES) ?? 1,
    isStreamed: fields.flag("stream"),
    usage: wantedUsage(fields),
    timings: wantedTimings(fields),
    ...lengthsOf(fields, isChat),
    ignoresEos: fields.flag("ignore_eos"),
    stop: stopTexts(fields.value("stop")),
    seed: fields.count("seed", Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    fault: faultOf(fields.value("fault")),
  };
  return { model: fields.text("model"), request };
}

/** @throws {ApiError} 400 */
export function faultOf(value: unknown): RequestFault | undefined {
  if (value === undefined) return undefined;
  const problems: string[] = [];
  requestFaultShape(value, "fault", problems);
  if (problems.length > 0) throw new ApiError(400, problems.join("; "), { param: "fault" });
  return value as RequestFault;
}

function parsed(bodyText: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(bodyText);
  } catch {
    throw new ApiError(400, `The body is not JSON: ${shown(bodyText)}`);
  }
  if (isObject(value)) return value;
  throw new ApiError(400, `The body is not a JSON object: ${shown(value)}`);
}

function refuseFields(fields: RequestFields, { isStrict, refused }: FieldRules): void {
  const param = fields.names.find(
    (name) => refused.includes(name) || (isStrict && !KNOWN_FIELDS.has(name)),
  );
  if (param === undefined) return;
  throw new ApiError(400, `Unrecognized request argument supplied: ${shown(param).slice(1, -1)}`, {
    param,
  });
}

function lengthsOf(
  fields: RequestFields,
  isChat: boolean,
): Pick<CompletionRequest, "maxTokens" | "minTokens"> {
  const minTokens = fields.count("min_tokens", 0, MOST_TOKENS) ?? 0;
  const asked =
    fields.count("max_completion_tokens", 1, MOST_TOKENS) ??
    fields.count("max_tokens", 1, MOST_TOKENS);
  // The old endpoint's own default, which the chat endpoint does not have.
  const maxTokens = asked ?? (isChat ? undefined : 16);
  if (maxTokens === undefined || minTokens <= maxTokens) return { maxTokens, minTokens };
  const message = `Invalid value for 'min_tokens': ${minTokens} is more than max_tokens, which is ${maxTokens}.`;
  throw new ApiError(400, message, { param: "min_tokens" });
}

function wantedUsage(fields: RequestFields): CompletionRequest["usage"] {
  const options = fields.object("stream_options");
  if (options.names.length > 0 && !fields.flag("stream")) {
    throw new ApiError(400, "'stream_options' is only allowed when 'stream' is true.", {
      param: "stream_options",
    });
  }
  if (options.flag("continuous_usage_stats")) return "in each event";
  return options.flag("include_usage") ? "at the end" : "none";
}

function wantedTimings(fields: RequestFields): CompletionRequest["timings"] {
  if (fields.flag("timings_per_token")) return "in each event";
  return fields.flag("timings") ? "at the end" : "none";
}

function promptsOf(fields: RequestFields): readonly Prompt[] {
  const prompt = fields.value("prompt");
  if (typeof prompt === "string") return [{ kind: "texts", texts: [prompt] }];
  if (isTokens(prompt)) return [{ kind: "tokens", tokens: prompt }];
  if (Array.isArray(prompt) && prompt.length > 0 && prompt.length <= MOST_PROMPTS) {
    if (prompt.every((text) => typeof text === "string")) {
      return prompt.map((text) => ({ kind: "texts", texts: [text] }));
    }
    if (prompt.every(isTokens)) return prompt.map((tokens) => ({ kind: "tokens", tokens }));
  }
  throw new ApiError(
    400,
    `Invalid value for 'prompt': ${shown(prompt)} is not a string, tokens, or up to ${MOST_PROMPTS} of them.`,
    { param: "prompt" },
  );
}

function isTokens(value: unknown): value is number[] {
  const isToken = (entry: unknown): boolean => Number.isInteger(entry) && Number(entry) >= 0;
  return Array.isArray(value) && value.length > 0 && value.every(isToken);
}

function stopTexts(value: unknown): readonly string[] {
  if (value === undefined) return [];
  const texts: unknown[] = Array.isArray(value) ? value : [value];
  const isText = (entry: unknown): boolean => typeof entry === "string" && entry !== "";
  if (texts.length <= MOST_STOPS && texts.every(isText)) return texts as string[];
  throw new ApiError(
    400,
    `Invalid value for 'stop': ${shown(value)} is not a string or up to ${MOST_STOPS} of them.`,
    { param: "stop" },
  );
}
