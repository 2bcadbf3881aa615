import { ApiError } from "../server/api-error.ts";
import {
  type Interval,
  truthEnergy,
  truthPower,
  truthReplies,
  truthTokens,
} from "./truth-answers.ts";
import type { TruthSources } from "./truth-sources.ts";

/** Replies of one answer, unless fewer are asked for. */
const MOST_REPLIES = 1000;

type Answer = (sources: TruthSources, query: URLSearchParams) => object;

const ANSWER_BY_PATH: Readonly<Record<string, Answer>> = {
  "/truth/energy": (sources, query) => truthEnergy(sources, intervalOf(query)),
  "/truth/tokens": (sources, query) => truthTokens(sources, intervalOf(query)),
  "/truth/power": (sources, query) => truthPower(sources, intervalOf(query)),
  "/truth/replies": (sources, query) =>
    truthReplies(sources, wholeOf(query, "from", 0), wholeOf(query, "limit", MOST_REPLIES)),
};

/**
 * Answers a question about what really happened.
 *
 * @returns `undefined` for a path that is none of the truth's.
 * @throws {ApiError} for an interval that is not given, or not known.
 */
export function answerTruth(sources: TruthSources, url: URL): object | undefined {
  const answer = Object.hasOwn(ANSWER_BY_PATH, url.pathname)
    ? ANSWER_BY_PATH[url.pathname]
    : undefined;
  try {
    return answer?.(sources, url.searchParams);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ApiError(400, error.message, { code: "interval_too_long" });
  }
}

function intervalOf(query: URLSearchParams): Interval {
  return { startNs: nanosecondsOf(query, "start_ns"), endNs: nanosecondsOf(query, "end_ns") };
}

function nanosecondsOf(query: URLSearchParams, name: string): bigint {
  const text = query.get(name) ?? "";
  if (/^\d{1,19}$/.test(text)) return BigInt(text);
  const message = `${name} has to be whole nanoseconds of the machine's monotonic clock.`;
  throw new ApiError(400, message, { param: name });
}

function wholeOf(query: URLSearchParams, name: string, otherwise: number): number {
  const text = query.get(name) ?? String(otherwise);
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new ApiError(400, `${name} has to be a whole number.`, { param: name });
}
