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
 * @throws {SyntaxError} when the body is not JSON.
 */
export function replyPlan(path: string, bodyText: string): ReplyPlan {
  const body = record(JSON.parse(bodyText));
  const instant = record(body["instant"]);
  return {
    events: count(body["max_tokens"] ?? body["max_completion_tokens"], 16, MOST_EVENTS),
    isStreamed: body["stream"] === true,
    isChat: path.includes("/chat/"),
    wantsUsage: record(body["stream_options"])["include_usage"] === true,
    everyMs: count(instant["every_ms"], 0, 60_000),
    phase: instant["phase"] === "spread" ? "spread" : "together",
    eventsPerWrite: count(instant["events_per_write"], 1, 1000) || 1,
  };
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function count(value: unknown, otherwise: number, most: number): number {
  return typeof value === "number" && value >= 0 ? Math.min(Math.floor(value), most) : otherwise;
}
