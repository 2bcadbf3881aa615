import {
  conditionNumber,
  type FittedFactor,
  fitTwoColumns,
  NORMAL_95,
  type TwoColumnRow,
} from "./fit-two-columns.ts";

/** One measured window of many requests that all have the same two lengths. */
export interface PhaseCell {
  /** The pair of lengths, in tokens of each request: repeats of a pair share it. */
  readonly lengths: { readonly input: number; readonly output: number };
  /** Prompt tokens that were really processed in the window: without those of a cache. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Above 0. */
  readonly energyJ: number;
  /** Its 95 % interval, where it is known. */
  readonly loJ?: number;
  readonly hiJ?: number;
}

/** The joules of each further token of a phase, with the 95 % interval. */
export interface PhaseFigure {
  readonly joulesPerToken: number;
  readonly lo: number;
  readonly hi: number;
}

/** Why there is none, in words. */
export interface NotTold {
  readonly why: string;
}

export interface PhaseSplit {
  readonly prefill: PhaseFigure | NotTold;
  readonly decode: PhaseFigure | NotTold;
}

const LEAST_CELLS = 4;
/** Fewer pairs of lengths cannot contradict the model. */
const LEAST_PAIRS = 3;
/** From 30 on columns are commonly taken to be one (Belsley, Kuh and Welsch). */
const WORST_CONDITION = 30;

/**
 * Tells the joules of a prompt token from those of an output token by weighted regression:
 * E = p·I + d·O over cells of the same concurrency, weights 1/E², since errors are relative.
 *
 * Repeats agree with each other even where the model does not hold, so they do not make the
 * interval narrower than one over pairs of lengths would be.
 */
export function splitPhases(cells: readonly PhaseCell[]): PhaseSplit {
  const why = whyNotTold(cells);
  if (why !== undefined) return { prefill: { why }, decode: { why } };
  const ofCells = fitTwoColumns(cells.map(rowOf));
  const ofPairs = fitTwoColumns(pairsOf(cells).map(rowOf));
  const [prefill, decode] = ofCells.map(({ value, halfWidth }, k) => ({
    value,
    halfWidth: Math.max(halfWidth, ofPairs[k]!.halfWidth),
  })) as [FittedFactor, FittedFactor];
  for (const [name, { value, halfWidth }] of Object.entries({ prefill, decode })) {
    if (value + halfWidth >= 0) continue;
    const contradiction = `a token of ${name} would take ${figureOf(value)} J, which cannot be: something else differs between the cells`;
    return { prefill: { why: contradiction }, decode: { why: contradiction } };
  }
  return { prefill: judged(prefill), decode: judged(decode) };
}

function judged({ value, halfWidth }: FittedFactor): PhaseFigure | NotTold {
  if (halfWidth < value) {
    return { joulesPerToken: value, lo: value - halfWidth, hi: value + halfWidth };
  }
  return {
    why: `it lies between ${figureOf(value - halfWidth)} and ${figureOf(value + halfWidth)} J per token, so it cannot be told from nothing: longer windows, more repeats or lengths further apart help`,
  };
}

/** What in the cells themselves stands against any split. */
function whyNotTold(cells: readonly PhaseCell[]): string | undefined {
  if (cells.length === 0) return "no cell counts: none may be compared and has joules and tokens";
  for (const length of ["input", "output"] as const) {
    const count = new Set(cells.map(({ lengths }) => lengths[length])).size;
    if (count < 2)
      return `at least two ${length} lengths are needed, and the cells that count have one (--${length}-tokens takes a list)`;
  }
  if (cells.length < LEAST_CELLS)
    return `at least ${LEAST_CELLS} cells are needed, and ${cells.length} count`;
  const pairs = pairsOf(cells).length;
  if (pairs < LEAST_PAIRS)
    return `at least ${LEAST_PAIRS} pairs of lengths are needed, and the cells that count have ${pairs}`;
  if (cells.every(({ inputTokens }) => inputTokens === 0))
    return "no token of a prompt was processed: the server had all of them in its cache";
  if (cells.every(({ outputTokens }) => outputTokens === 0)) return "no token came";
  const condition = conditionNumber(cells.map(rowOf));
  if (condition <= WORST_CONDITION) return undefined;
  return `prompts and answers grow together over the cells (condition number ${condition > 999 ? "above 999" : condition.toFixed(0)}, at most ${WORST_CONDITION} will do): choose lengths whose ratio differs more`;
}

/** Repeats of a pair of lengths as one cell: tokens and joules add up. */
function pairsOf(cells: readonly PhaseCell[]): readonly PhaseCell[] {
  const byPair = new Map<string, PhaseCell>();
  for (const { loJ, hiJ, ...cell } of cells) {
    const pair = `${cell.lengths.input} ${cell.lengths.output}`;
    const sum = byPair.get(pair);
    byPair.set(pair, sum === undefined ? cell : plus(sum, cell));
  }
  return [...byPair.values()];
}

function plus(a: PhaseCell, b: PhaseCell): PhaseCell {
  return {
    lengths: a.lengths,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    energyJ: a.energyJ + b.energyJ,
  };
}

/** Divided by its energy, so that all errors are of one size. */
function rowOf({ inputTokens, outputTokens, energyJ, loJ, hiJ }: PhaseCell): TwoColumnRow {
  const isKnown = loJ !== undefined && hiJ !== undefined;
  const furthestJ = isKnown ? Math.max(energyJ - loJ, hiJ - energyJ, 0) : 0;
  return {
    x: inputTokens / energyJ,
    y: outputTokens / energyJ,
    sd: furthestJ / NORMAL_95 / energyJ,
  };
}

function figureOf(value: number): string {
  return String(Number(value.toPrecision(2)));
}
