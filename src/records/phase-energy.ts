import { finiteSorted, type Metrics } from "../energy/metrics.ts";
import type { RailHead } from "../energy/rail-head.ts";
import {
  type NotTold,
  type PhaseCell,
  type PhaseFigure,
  type PhaseSplit,
  splitPhases,
} from "../energy/split-phases.ts";
import type { CellRecord, Reason } from "./run-record.ts";

/** What a sweep tells of prefill and decode, by concurrency. */
export interface PhaseEnergy {
  readonly metrics: Metrics;
  /** Why a phase has no figure; none for a sweep of one pair of lengths, which asked for none. */
  readonly reasons: readonly Reason[];
}

/** The keys of the phases behind the head of a rail, as in `c4_gpu_rail_…`. */
export const PHASE_KEYS = {
  prefill: "prefill_joules_per_input_token",
  decode: "decode_joules_per_output_token",
} as const;

/** Joules of prefill and decode of a sweep, made of the cells that may be compared. */
export function phaseEnergy(cells: readonly CellRecord[], head: RailHead | undefined): PhaseEnergy {
  const counts = (["inputTokens", "outputTokens"] as const).map(
    (length) => new Set(cells.map((cell) => cell[length])).size,
  );
  if (head === undefined || Math.max(...counts) < 2) return { metrics: {}, reasons: [] };
  const counting = cells.filter(({ isComparable, state }) => isComparable && state === "measured");
  const joulesKey = energyKey(counting, head);
  const levels = [...new Set(cells.map(({ concurrency }) => concurrency))];
  const splits = levels.map((level) => {
    const ofLevel = counting.filter(({ concurrency }) => concurrency === level);
    return { level, split: splitPhases(ofLevel.flatMap((cell) => phaseCell(cell, joulesKey))) };
  });
  return {
    metrics: finiteSorted(
      Object.assign({}, ...splits.map(({ level, split }) => figures(`c${level}_${head}_`, split))),
    ),
    reasons: reasonsOf(splits),
  };
}

/** Without its ending: the estimate where any cell has one, so that one fit holds one kind. */
function energyKey(cells: readonly CellRecord[], head: RailHead): string {
  const estimate = `${head}_energy_est`;
  const hasEstimate = cells.some(({ metrics }) => metrics[`${estimate}_j`] !== undefined);
  return hasEstimate ? estimate : `${head}_energy`;
}

/** @returns none where the cell lacks the joules or the tokens of its window. */
function phaseCell(cell: CellRecord, joulesKey: string): readonly PhaseCell[] {
  const { metrics, tokens, inputTokens: input, outputTokens: output } = cell;
  const [energyJ, loJ, hiJ] = ["j", "lo_j", "hi_j"].map((tail) => metrics[`${joulesKey}_${tail}`]);
  // Only tokens of the same interval as the joules have this key.
  const outputTokens = metrics[`${joulesKey.replace(/_est$/, "")}_window_tokens`];
  if (input === undefined || output === undefined || tokens?.prompt === undefined) return [];
  if (energyJ === undefined || !(energyJ > 0) || outputTokens === undefined) return [];
  return [
    {
      lengths: { input, output },
      inputTokens: tokens.prompt - (tokens.cachedPrompt ?? 0),
      outputTokens,
      energyJ,
      ...(loJ === undefined || hiJ === undefined ? {} : { loJ, hiJ }),
    },
  ];
}

function figures(prefix: string, split: PhaseSplit): Record<string, number> {
  const all: Record<string, number> = {};
  for (const phase of ["prefill", "decode"] as const) {
    const figure = split[phase];
    if (!isTold(figure)) continue;
    const key = `${prefix}${PHASE_KEYS[phase]}`;
    all[key] = figure.joulesPerToken;
    all[`${key}_lo`] = figure.lo;
    all[`${key}_hi`] = figure.hi;
  }
  return all;
}

/** Concurrencies with the same reason share a line, and so do the phases of one. */
function reasonsOf(
  splits: readonly { readonly level: number; readonly split: PhaseSplit }[],
): readonly Reason[] {
  const levelsByText = new Map<string, number[]>();
  for (const { level, split } of splits)
    for (const text of textsOf(split))
      levelsByText.set(text, [...(levelsByText.get(text) ?? []), level]);
  return [...levelsByText].map(([text, levels]) => ({
    reason: "phases_not_told",
    refuses: "phases",
    detail: `at ${levels.join(", ")} at once, ${text}`,
  }));
}

function textsOf({ prefill, decode }: PhaseSplit): readonly string[] {
  const [why, ofDecode] = [prefill, decode].map((figure) =>
    isTold(figure) ? undefined : figure.why,
  );
  if (why !== undefined && why === ofDecode) return [`prefill and decode: ${why}`];
  return [
    ...(why === undefined ? [] : [`prefill: ${why}`]),
    ...(ofDecode === undefined ? [] : [`decode: ${ofDecode}`]),
  ];
}

function isTold(figure: PhaseFigure | NotTold): figure is PhaseFigure {
  return "joulesPerToken" in figure;
}
