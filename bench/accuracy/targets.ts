import { type Figures, figuresOf, leastCoveragePct } from "./figures.ts";
import type { JudgedWindow } from "./judge.ts";
import { DISTANCES, inFamily, LENGTHS } from "./strata.ts";

/** One aim, and what the windows of one sensor at one period make of it. */
export interface Judgement {
  readonly target: string;
  readonly limit: number;
  /** Absent where no window tells. */
  readonly value?: number;
  /** By how much the aim was missed; 0 where it was met. */
  readonly missedBy?: number;
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
  const strata = strataOf([quiet, anywhere]);
  const bias = (windows: readonly JudgedWindow[]): number | undefined => {
    const biasPct = figuresOf(windows).estimate?.biasPct;
    return biasPct === undefined ? undefined : Math.abs(biasPct);
  };
  return [
    atMost("|bias| quiet", 0.3, bias(quiet)),
    atMost("|bias| anywhere", 0.3, bias(anywhere)),
    atMost("p95 quiet 4-10 s", 1.3 * factor, p95(quiet, 2)),
    atMost("p95 quiet 1-2 s", 4 * factor, p95(quiet, 0)),
    atMost("p95 anywhere 4-10 s", 5, p95(anywhere, 2)),
    atMost("p95 anywhere 1-2 s", 12, p95(anywhere, 0)),
    worstCoverage(strata),
    atMost("width ratio, worst", MOST_WIDTH_RATIO, worstRatio(strata)),
  ];
}

/** Each family by shape, by length and by distance, where there are windows enough. */
function strataOf(families: readonly (readonly JudgedWindow[])[]): readonly Figures[] {
  return families.flatMap((windows) => {
    const shapes = [...new Set(windows.map(({ shape }) => shape))];
    return [
      ...shapes.map((shape) => windows.filter((one) => one.shape === shape)),
      ...[...LENGTHS, ...DISTANCES].map(({ holds }) => windows.filter(holds)),
    ]
      .map(figuresOf)
      .filter(({ estimate }) => (estimate?.n ?? 0) >= LEAST_WINDOWS);
  });
}

/** The stratum that is furthest below what chance allows. */
function worstCoverage(strata: readonly Figures[]): Judgement {
  const target = "coverage, worst stratum";
  const short = strata
    .flatMap(({ estimate }) => (estimate ? [estimate] : []))
    .map(({ n, coveragePct }) => ({ value: coveragePct, limit: leastCoveragePct(n) }))
    .toSorted((a, b) => a.value - a.limit - (b.value - b.limit))[0];
  if (short === undefined) return { target, limit: 95 };
  return { target, ...short, missedBy: Math.max(0, short.limit - short.value) };
}

function worstRatio(strata: readonly Figures[]): number | undefined {
  const ratios = strata.flatMap(({ estimate }) => (estimate ? [estimate.widthRatio] : []));
  return ratios.length === 0 ? undefined : Math.max(...ratios);
}

function atMost(target: string, limit: number, value: number | undefined): Judgement {
  if (value === undefined) return { target, limit };
  return { target, limit, value, missedBy: Math.max(0, value - limit) };
}
