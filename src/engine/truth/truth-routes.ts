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

const QUERY_BY_PATH: Readonly<Record<string, readonly string[]>> = {
  "/truth/energy": ["start_ns", "end_ns"],
  "/truth/tokens": ["start_ns", "end_ns"],
  "/truth/power": ["start_ns", "end_ns"],
  "/truth/replies": ["from", "limit"],
};

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
  if (answer) refuseUnknown(url);
  try {
    return answer?.(sources, url.searchParams);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ApiError(400, error.message, { code: "interval_too_long" });
  }
}

/** A misspelt parameter would be answered as if it had not been given. */
function refuseUnknown({ pathname, searchParams }: URL): void {
  const known = QUERY_BY_PATH[pathname]!;
  const unknown = [...searchParams.keys()].find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const shown = JSON.stringify(unknown.slice(0, 80));
  throw new ApiError(400, `${pathname} has no ${shown}: it takes ${known.join(" and ")}.`, {
    param: unknown.slice(0, 80),
  });
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
