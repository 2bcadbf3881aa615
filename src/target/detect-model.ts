import type { AskOptions } from "./ask.ts";
import { getJson, type JsonReply } from "./json-client.ts";
import { shownText } from "./shown-text.ts";
import type { Target } from "./target.ts";

/** The one model that a server lists, or why `--model` has to be given. */
export type DetectedModel =
  | {
      readonly state: "found";
      readonly model: string;
      /** The most tokens of prompt and reply together, where the server says so. */
      readonly contextTokens?: number;
    }
  | {
      readonly state: "ask";
      readonly reason: "several" | "none" | "no_answer";
      /** Says what was found, with the HTTP status, and asks for `--model`. */
      readonly message: string;
      readonly httpStatus?: number;
      readonly models: readonly string[];
    };

const MOST_LISTED = 20;

/**
 * Finds the model of a target by its list of models, and takes it only if it is the only one.
 *
 * @throws the signal's reason when it is aborted, and nothing else.
 */
export async function detectModel(target: Target, options?: AskOptions): Promise<DetectedModel> {
  const url = target.apiUrl("models");
  const reply = await getJson(target, url, options);
  if (reply.state === "error") return noAnswer(target, reply);
  const { httpStatus, json } = reply;
  const entries = entriesIn(json);
  const models = [...new Set(entries.map(({ id }) => id))];
  const [model] = models;
  if (model !== undefined && models.length === 1) {
    return { state: "found", model, ...contextOf(entries[0]) };
  }
  const where = `${target.redact(url.href)} (HTTP ${httpStatus})`;
  if (model === undefined) {
    const message = `${where} lists no model: name the model with --model`;
    return { state: "ask", reason: "none", message, httpStatus, models };
  }
  const listed = models.slice(0, MOST_LISTED).map((id) => shownText(target, id));
  const rest = models.length - listed.length;
  const more = rest > 0 ? `, and ${rest} more` : "";
  const message = `${where} lists ${models.length} models: choose one with --model: ${listed.join(", ")}${more}`;
  return { state: "ask", reason: "several", message, httpStatus, models };
}

function noAnswer(target: Target, reply: JsonReply & { state: "error" }): DetectedModel {
  const { httpStatus } = reply;
  const status = httpStatus === undefined ? {} : { httpStatus };
  const remedy =
    httpStatus === 401 || httpStatus === 403
      ? `${keyHint(target)}, or name the model with --model`
      : "name the model with --model";
  const message = `the models could not be listed: ${reply.message}; ${remedy}`;
  return { state: "ask", reason: "no_answer", message, ...status, models: [] };
}

/** What to do when a server lets nobody in. */
export function keyHint(target: Target): string {
  const { auth, apiKeyFrom } = target.toJSON();
  if (auth === "none") return "give the key with --api-key-env NAME";
  return `check ${apiKeyFrom === undefined ? "what --target or --header-env gives" : `the key from ${apiKeyFrom}`}`;
}

interface ModelEntry {
  readonly id: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The entries of `{ data: [{ id }] }`, or of a bare list, as some gateways give it. */
function entriesIn(json: unknown): ModelEntry[] {
  const { data } = Array.isArray(json) ? { data: json } : ((json ?? {}) as { data?: unknown });
  if (!Array.isArray(data)) return [];
  return data.flatMap((entry: unknown) => {
    if (typeof entry !== "object" || entry === null) return [];
    const fields = entry as Record<string, unknown>;
    const { id } = fields as { id?: unknown };
    return typeof id === "string" && id !== "" ? [{ id, fields }] : [];
  });
}

/** `max_model_len` is what vLLM and SGLang call it. */
function contextOf(entry: ModelEntry | undefined): { contextTokens?: number } {
  const length = entry?.fields["max_model_len"];
  return Number.isSafeInteger(length) ? { contextTokens: Number(length) } : {};
}
