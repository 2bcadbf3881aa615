import { ApiError } from "../server/api-error.ts";

/** How the instant server answers one request: what a client may ask for in the request's body. */
export interface ReplyPlan {
  /** Token events of the reply; the body's `max_tokens`, default 16. */
  readonly events: number;
  readonly isStreamed: boolean;
  readonly isChat: boolean;
  readonly wantsUsage: boolean;
  /** Time between token events in ms; 0: as fast as it goes. */
  readonly everyMs: number;
  /** All streams tick together, as an engine's decode steps do, or each at a time of its own. */
  readonly phase: "together" | "spread";
  /** How many events go into one write when nothing is waited for. */
  readonly eventsPerWrite: number;
}

/** The most events of one reply: the server must not be brought to its knees by a slip. */
const MOST_EVENTS = 10_000_000;

/**
 * What a request asks for. Beside the OpenAI fields its body may hold
 * `instant: { every_ms, phase, events_per_write }`.
 *
 * @throws {ApiError} 400 for a body that is no JSON object, or a number that is out of its limits.
 */
export function replyPlan(path: string, bodyText: string): ReplyPlan {
  const body = parsed(bodyText);
  const instant = record(body["instant"]);
  return {
    events:
      count(body, "max_tokens", 1, MOST_EVENTS) ??
      count(body, "max_completion_tokens", 1, MOST_EVENTS) ??
      16,
    isStreamed: body["stream"] === true,
    isChat: path.includes("/chat/"),
    wantsUsage: record(body["stream_options"])["include_usage"] === true,
    everyMs: count(instant, "every_ms", 0, 60_000) ?? 0,
    phase: instant["phase"] === "spread" ? "spread" : "together",
    eventsPerWrite: count(instant, "events_per_write", 1, 1000) ?? 1,
  };
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function parsed(bodyText: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(bodyText);
  } catch {
    throw new ApiError(400, "The body is not JSON.");
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new ApiError(400, "The body is not a JSON object.");
}

function count(
  fields: Record<string, unknown>,
  name: string,
  least: number,
  most: number,
): number | undefined {
  const value = fields[name] ?? undefined;
  if (value === undefined) return undefined;
  if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) {
    return Number(value);
  }
  const wanted = `an integer from ${least} to ${most}`;
  throw new ApiError(400, `Invalid value for '${name}': it is not ${wanted}.`, { param: name });
}
