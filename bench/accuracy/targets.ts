import { type EstimateFigures, figuresOf, leastCoveragePct } from "./figures.ts";
import type { JudgedWindow } from "./judge.ts";
import { DISTANCES, inFamily, LENGTHS } from "./strata.ts";
import type { WindowFamily } from "./windows.ts";

/** One aim, and what the windows of one sensor at one period make of it. */
export interface Judgement {
  readonly target: string;
  readonly limit: number;
  /** Absent where no window tells. */
  readonly value?: number;
  /** By how much the aim was missed; 0 where it was met. */
  readonly missedBy?: number;
  /** The stratum that is worst, where the aim is one for each of them. */
  readonly where?: string;
}

/** Strata smaller than this tell nothing of a tail. */
const LEAST_WINDOWS = 50;
const MOST_WIDTH_RATIO = 2;

/** The aims for one sensor at one period, over all shapes. */
export function judgeTargets(
  judged: readonly JudgedWindow[],
  periodMs: number,
): readonly Judgement[] {
  const factor = periodMs <= 100 ? 0.5 : 1;
  const [quiet, anywhere] = [inFamily(judged, "quiet"), inFamily(judged, "anywhere")];
  const p95 = (windows: readonly JudgedWindow[], length: number): number | undefined =>
    figuresOf(windows.filter(LENGTHS[length]!.holds)).estimate?.p95Pct;
  const strata = [...strataOf("quiet", quiet), ...strataOf("anywhere", anywhere)];
  const bias = (windows: readonly JudgedWindow[]): number | undefined => {
    const biasPct = figuresOf(windows).estimate?.biasPct;
    return biasPct === undefined ? undefined : Math.abs(biasPct);
  };
  return [
    atMost("bias quiet", 0.3, bias(quiet)),
    atMost("bias anywhere", 0.3, bias(anywhere)),
    atMost("p95 quiet 4-10 s", 1.3 * factor, p95(quiet, 2)),
    atMost("p95 quiet 1-2 s", 4 * factor, p95(quiet, 0)),
    atMost("p95 anywhere 4-10 s", 5, p95(anywhere, 2)),
    atMost("p95 anywhere 1-2 s", 12, p95(anywhere, 0)),
    worstCoverage(strata),
    worstRatio(strata),
  ];
}

interface StratumFigures {
  readonly where: string;
  readonly estimate: EstimateFigures;
}

/** A family by shape, by length and by distance, where there are windows enough. */
function strataOf(family: WindowFamily, judged: readonly JudgedWindow[]): StratumFigures[] {
  const shapes = [...new Set(judged.map(({ shape }) => shape))].map((name) => ({
    name,
    holds: ({ shape }: JudgedWindow) => shape === name,
  }));
  return [...shapes, ...LENGTHS, ...DISTANCES].flatMap(({ name, holds }) => {
    const { estimate } = figuresOf(judged.filter(holds));
    if (estimate === undefined || estimate.n < LEAST_WINDOWS) return [];
    return [{ where: `${family}, ${name}`, estimate }];
  });
}

/** The stratum that is furthest below what chance allows. */
function worstCoverage(strata: readonly StratumFigures[]): Judgement {
  const target = "coverage, worst stratum";
  const worst = strata
    .map(({ where, estimate: { n, coveragePct } }) => {
      const limit = leastCoveragePct(n);
      return { where, value: coveragePct, limit, missedBy: Math.max(0, limit - coveragePct) };
    })
    .toSorted((a, b) => a.value - a.limit - (b.value - b.limit))[0];
  return { target, limit: 95, ...worst };
}

function worstRatio(strata: readonly StratumFigures[]): Judgement {
  const worst = strata.toSorted((a, b) => b.estimate.widthRatio - a.estimate.widthRatio)[0];
  const judgement = atMost("width ratio, worst", MOST_WIDTH_RATIO, worst?.estimate.widthRatio);
  return { ...judgement, ...(worst && { where: worst.where }) };
}

function atMost(target: string, limit: number, value: number | undefined): Judgement {
  if (value === undefined) return { target, limit };
  return { target, limit, value, missedBy: Math.max(0, value - limit) };
}
