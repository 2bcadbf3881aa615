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
 * Every cell of a sweep in the order in which it is measured: one input length after the other, in
 * each one output length after the other, and all of them once before any is repeated, so that a
 * drift of the machine meets every cell.
 */
export function planSweep(shape: SweepShape): readonly CellPlan[] {
  const { concurrency, inputTokens, outputTokens, cache, repeat } = shape;
  const once = inputTokens.flatMap((input) =>
    outputTokens.flatMap((output) => concurrency.map((level) => ({ input, output, level }))),
  );
  return Array.from({ length: repeat }, (_, turn) =>
    once.map(({ input, output, level }, place) => ({
      cell: turn * once.length + place,
      repeat: turn,
      ...nameOf(shape, { input, output, level }),
      concurrency: level,
      ...endOf(shape, level),
      inputTokens: input,
      outputTokens: output,
      cache,
    })),
  ).flat();
}

/** A length stands in the name only where a sweep has several of its kind. */
function nameOf(
  { inputTokens, outputTokens }: SweepShape,
  {
    input,
    output,
    level,
  }: { readonly input: number; readonly output: number; readonly level: number },
): Pick<CellPlan, "label" | "prefix"> {
  const lengths = [
    ...(inputTokens.length > 1 ? [{ label: `${input} in`, prefix: `isl${input}_` }] : []),
    ...(outputTokens.length > 1 ? [{ label: `${output} out`, prefix: `osl${output}_` }] : []),
  ];
  return {
    label: [...lengths.map(({ label }) => label), `${level} at once`].join(", "),
    prefix: `${lengths.map(({ prefix }) => prefix).join("")}c${level}_`,
  };
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
