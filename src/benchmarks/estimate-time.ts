import type { CellPlan } from "../records/run-header.ts";
import type { Warmup } from "./benchmark-options.ts";

/** How fast a single stream may be, in tokens per second: the guess before anything is measured. */
export const GUESSED_RATES = { slow: 25, fast: 100 } as const;

/** Time around the cells: probe, prompts of a known length, idle baseline, in s. */
const AROUND_S = 8;
/** Settle time of a cell where nothing else is asked for, and what its readings need after it, in s. */
const SETTLE_S = 1.6;
/** What an answer has where the plan does not say, in tokens. */
const SOME_TOKENS = 128;

/** What the time of a run hangs on, beside its cells. */
export interface TimeBasis {
  /** Each stream's rate. */
  readonly tokensPerS: number;
  readonly warmup?: Warmup;
  readonly settleMs?: number;
  /** Whether a rail is read, whose readings are waited for after each window; default true. */
  readonly hasRail?: boolean;
}

/** About how long one cell takes: warm-up, window, and the quiet time before and after. */
export function estimateCellS(
  cell: CellPlan,
  { tokensPerS, warmup, settleMs, hasRail = true }: TimeBasis,
): number {
  const answerS = (cell.outputTokens ?? SOME_TOKENS) / tokensPerS;
  const rounds = cell.requests === undefined ? 1 : Math.ceil(cell.requests / cell.concurrency);
  // What is in flight when the time is over is waited for.
  const windowS = cell.durationS === undefined ? rounds * answerS : cell.durationS + answerS;
  const railS = hasRail ? SETTLE_S : 0;
  const settleS = settleMs === undefined ? railS : settleMs / 1000;
  const readingsS = hasRail ? Math.max(settleS, railS) : 0;
  return warmupS(warmup, answerS) + settleS + windowS + readingsS;
}

/** About how long a whole run takes, in s. */
export function estimateRunS(cells: readonly CellPlan[], basis: TimeBasis): number {
  return cells.reduce((sum, cell) => sum + estimateCellS(cell, basis), AROUND_S);
}

function warmupS(warmup: Warmup | undefined, answerS: number): number {
  if (warmup === undefined) return 0;
  if ("rounds" in warmup) return warmup.rounds * answerS;
  return warmup.seconds === 0 ? 0 : warmup.seconds + answerS;
}
