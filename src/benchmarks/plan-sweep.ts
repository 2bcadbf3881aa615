import type { CellPlan } from "../records/run-header.ts";
import type { SweepOptions } from "./benchmark-options.ts";

/** What decides which cells a sweep has. */
export type SweepShape = Pick<
  SweepOptions,
  "concurrency" | "inputTokens" | "outputTokens" | "requests" | "durationS" | "cache" | "repeat"
>;

/** Rounds of a cell that has no other end, and the fewest requests that it then has. */
const ROUNDS = 4;
const LEAST_REQUESTS = 8;

/**
 * Every cell of a sweep in the order in which it is measured: one input length after the other, and
 * all of them once before any is repeated, so that a drift of the machine meets every cell.
 */
export function planSweep(shape: SweepShape): readonly CellPlan[] {
  const { concurrency, inputTokens, outputTokens, cache, repeat } = shape;
  const hasLengths = inputTokens.length > 1;
  const once = inputTokens.flatMap((input) => concurrency.map((level) => ({ input, level })));
  return Array.from({ length: repeat }, (_, turn) =>
    once.map(({ input, level }, place) => ({
      cell: turn * once.length + place,
      repeat: turn,
      label: hasLengths ? `${input} in, ${level} at once` : `${level} at once`,
      prefix: hasLengths ? `isl${input}_c${level}_` : `c${level}_`,
      concurrency: level,
      ...endOf(shape, level),
      inputTokens: input,
      outputTokens,
      cache,
    })),
  ).flat();
}

/** How a cell ends: after a time where one is given, else after so many requests. */
function endOf(
  { requests, durationS }: SweepShape,
  level: number,
): Pick<CellPlan, "requests" | "durationS"> {
  if (durationS !== undefined)
    return { durationS, ...(requests === undefined ? {} : { requests }) };
  return { requests: requests ?? Math.max(LEAST_REQUESTS, ROUNDS * level) };
}
