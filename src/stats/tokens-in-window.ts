/** What counting tokens needs to know of a request. */
export interface TokenEvents {
  /** When each event that brought output arrived, in ms on the run's clock; any order. */
  readonly eventTimesMs: ArrayLike<number>;
  /** The server's own count of output tokens; `null` when it told none. */
  readonly completionTokens: number | null;
  /** By how much the server's running count went up with each event, where it sends one. */
  readonly tokenSteps?: ArrayLike<number> | null;
  readonly isSuccess: boolean;
}

/** Why a count of tokens is not exact, or not known. Stable codes: they stand in records. */
export type TokenCountReason =
  /** A failed request's tokens are those that its events brought: one each, where no step was told. */
  | "failed_request"
  /** The server told no count, so each event counts as one token. */
  | "count_not_told"
  /** Tokens were told but no event brought them, so nobody knows when they came. */
  | "no_events";

/** One reason, and how many requests gave it. */
export interface TokenCountNote {
  readonly reason: TokenCountReason;
  readonly requests: number;
}

interface Noted {
  /** Empty when every token was counted by the server. */
  readonly why: readonly TokenCountNote[];
}

/** Output tokens that arrived inside a window. */
export type TokensInWindow =
  | (Noted & {
      /** Of all requests, those that failed later included. Not whole where events share a count. */
      readonly output: number;
      /** Of successful requests alone. */
      readonly delivered: number;
      /** Whether a part of the sum was counted by events instead of by the server. */
      readonly isEstimated: boolean;
    })
  /** Not known: some tokens cannot be given a time. */
  | (Noted & {
      readonly output: undefined;
      readonly delivered: undefined;
      readonly isEstimated: false;
    });

/**
 * Output tokens of a window, counted by the arrival of the events that brought them: a request that
 * straddles an edge counts its part.
 *
 * An event weighs its step of the server's running count, or, without one, as much as every other
 * event of its request; the weights of a successful request are scaled to the server's final count.
 * An event at `startMs` belongs to the window before, one at `endMs` to this one, so that the parts
 * of a split window add up.
 *
 * @throws {RangeError} when an edge or a time is NaN, or the window ends before it starts.
 */
export function tokensInWindow(
  requests: readonly TokenEvents[],
  startMs: number,
  endMs: number,
): TokensInWindow {
  if (!(endMs >= startMs)) throw new RangeError(`no window reaches from ${startMs} to ${endMs} ms`);
  const notes = new Map<TokenCountReason, number>();
  let output = 0;
  let delivered = 0;
  for (const request of requests) {
    const { tokens, reason } = tokensOf(request, startMs, endMs);
    output += tokens;
    if (request.isSuccess) delivered += tokens;
    if (reason !== undefined) notes.set(reason, (notes.get(reason) ?? 0) + 1);
  }
  const why = [...notes].map(([reason, count]) => ({ reason, requests: count }));
  if (notes.has("no_events")) {
    return { output: undefined, delivered: undefined, isEstimated: false, why };
  }
  return { output, delivered, isEstimated: why.length > 0, why };
}

interface Part {
  readonly tokens: number;
  readonly reason?: TokenCountReason;
}

function tokensOf(request: TokenEvents, startMs: number, endMs: number): Part {
  const { eventTimesMs, completionTokens, isSuccess } = request;
  const steps = usableSteps(request);
  const { all, inside } = weigh(eventTimesMs, steps, startMs, endMs);
  if (!isSuccess) return inside > 0 ? { tokens: inside, reason: "failed_request" } : { tokens: 0 };
  if (eventTimesMs.length === 0) {
    return completionTokens === 0 ? { tokens: 0 } : { tokens: 0, reason: "no_events" };
  }
  if (completionTokens !== null) return { tokens: (completionTokens * inside) / all };
  if (steps !== undefined || inside === 0) return { tokens: inside };
  return { tokens: inside, reason: "count_not_told" };
}

/** Steps that do not fit the events, or come to nothing, say nothing about them. */
function usableSteps({ eventTimesMs, tokenSteps }: TokenEvents): ArrayLike<number> | undefined {
  if (!tokenSteps || tokenSteps.length !== eventTimesMs.length) return undefined;
  let sum = 0;
  for (let i = 0; i < tokenSteps.length; i++) {
    const step = tokenSteps[i]!;
    if (!(step >= 0)) return undefined;
    sum += step;
  }
  return sum > 0 && sum < Infinity ? tokenSteps : undefined;
}

function weigh(
  eventTimesMs: ArrayLike<number>,
  steps: ArrayLike<number> | undefined,
  startMs: number,
  endMs: number,
): { all: number; inside: number } {
  let all = 0;
  let inside = 0;
  for (let i = 0; i < eventTimesMs.length; i++) {
    const atMs = eventTimesMs[i]!;
    if (Number.isNaN(atMs)) throw new RangeError("the time of an event is not a number");
    const weight = steps?.[i] ?? 1;
    all += weight;
    if (atMs > startMs && atMs <= endMs) inside += weight;
  }
  return { all, inside };
}
