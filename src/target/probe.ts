import type { AskOptions } from "./ask.ts";
import { keyHint } from "./detect-model.ts";
import { type JsonErrorKind, type JsonReply, messageIn, postJson } from "./json-client.ts";
import { shownText } from "./shown-text.ts";
import type { Target } from "./target.ts";

/** What one checked request before the run showed. What the server did not say is `null`. */
export type ProbeResult =
  | {
      readonly state: "ok";
      readonly httpStatus: number;
      /** From the first step to the last byte; it may include the loading of the model. */
      readonly latencyMs: number;
      /** The IP address that was connected to; absent for a unix socket. */
      readonly address?: string;
      readonly hasUsage: boolean;
      readonly promptTokens: number | null;
      readonly completionTokens: number | null;
      /** The model that the reply names. */
      readonly model: string | null;
      readonly systemFingerprint: string | null;
      readonly warnings: readonly string[];
    }
  | {
      readonly state: "error";
      readonly errorKind: JsonErrorKind | "error_reply" | "empty";
      /** What happened, with the final address, and what helps. No secret is in it. */
      readonly message: string;
      readonly httpStatus?: number;
      readonly latencyMs: number;
    };

export interface ProbeOptions extends AskOptions {
  /** Fields to add to the request, or to replace in it. Default: none. */
  readonly extraBody?: Readonly<Record<string, unknown>>;
}

/** Loading a large model from a slow disk takes minutes. */
const PROBE_TIMEOUT_MS = 300_000;

/**
 * Sends one small request that is not streamed, so that what is wrong shows before anything is
 * measured, and a model that is loaded on demand is loaded.
 *
 * @param options - `timeoutMs` is 5 min by default.
 * @throws the signal's reason when it is aborted, and nothing else.
 */
export async function probe(target: Target, options: ProbeOptions = {}): Promise<ProbeResult> {
  const body = { ...smallRequest(target), ...options.extraBody };
  const asked = { timeoutMs: PROBE_TIMEOUT_MS, ...options };
  const reply = await postJson(target, target.requestUrl, body, asked);
  if (reply.state === "error") return failed(reply, hintFor(target, reply));
  const { json, latencyMs, httpStatus, address } = reply;
  const { error, choices, usage, model, system_fingerprint } = fieldsOf(json);
  const refused = (errorKind: "error_reply" | "empty", why: string): ProbeResult => {
    const message = `${target.shownUrl}: HTTP ${httpStatus}, ${why}`;
    return { state: "error", errorKind, message, httpStatus, latencyMs };
  };
  if (isPresent(error)) {
    const said = messageIn(json) ?? "no reason given";
    return refused("error_reply", `with an error in it: ${shownText(target, said)}`);
  }
  if (!Array.isArray(choices) || choices.length === 0) {
    const said = shownText(target, JSON.stringify(json));
    return refused("empty", `but the answer has no choices: ${said}`);
  }
  const counts = fieldsOf(usage);
  const promptTokens = countOf(counts["prompt_tokens"]);
  const completionTokens = countOf(counts["completion_tokens"]);
  const repliedModel = typeof model === "string" && model !== "" ? model : null;
  return {
    state: "ok",
    httpStatus,
    latencyMs,
    ...(address === undefined ? {} : { address }),
    hasUsage: completionTokens !== null,
    promptTokens,
    completionTokens,
    model: repliedModel === null ? null : target.redact(repliedModel),
    systemFingerprint:
      typeof system_fingerprint === "string" ? target.redact(system_fingerprint) : null,
    warnings: warningsOf(target, repliedModel, completionTokens),
  };
}

function smallRequest({ endpoint, model }: Target): Record<string, unknown> {
  const text = "Say hello.";
  const prompt =
    endpoint === "chat" ? { messages: [{ role: "user", content: text }] } : { prompt: text };
  return {
    ...(model === undefined ? {} : { model }),
    ...prompt,
    max_tokens: 8,
    temperature: 0,
    stream: false,
  };
}

function failed(reply: JsonReply & { state: "error" }, hint: string | undefined): ProbeResult {
  const { errorKind, httpStatus, latencyMs } = reply;
  const message = hint === undefined ? reply.message : `${reply.message}; ${hint}`;
  const status = httpStatus === undefined ? {} : { httpStatus };
  return { state: "error", errorKind, message, ...status, latencyMs };
}

function hintFor(target: Target, reply: JsonReply & { state: "error" }): string | undefined {
  if (reply.errorKind !== "http_status") return undefined;
  switch (reply.httpStatus) {
    case 401:
    case 403:
      return keyHint(target);
    case 404:
      return /model/i.test(reply.said ?? "")
        ? "name a model that the server has with --model"
        : `is that the address of the endpoint? It was made of ${target.redact(target.baseUrl.href)}`;
    case 405:
      return "is that the address of the endpoint?";
    case 503:
      return "the server is not ready; try again when the model is loaded";
    default:
      return undefined;
  }
}

function warningsOf(target: Target, model: string | null, completionTokens: number | null) {
  const warnings: string[] = [];
  if (target.model !== undefined && model !== null && model !== target.model) {
    const [asked, got] = [target.model, model].map((name) => shownText(target, name));
    warnings.push(`asked for the model ${asked}, and the reply is from ${got}`);
  }
  if (completionTokens === null) {
    warnings.push("the reply has no usage: tokens can only be counted if streams carry it");
  }
  return warnings;
}

/** An empty envelope (`null`, `{}`, `""`) is no error; servers send them with good replies. */
function isPresent(error: unknown): boolean {
  if (typeof error === "object" && error !== null) return Object.keys(error).length > 0;
  return Boolean(error);
}

function fieldsOf(json: unknown): Readonly<Record<string, unknown>> {
  return typeof json === "object" && json !== null ? (json as Record<string, unknown>) : {};
}

/** Zero tokens of a reply that came are no count: such a server does not count. */
function countOf(value: unknown): number | null {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : null;
}
