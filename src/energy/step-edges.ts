import { CANDIDATES_MS, type FitRange, fitRange } from "./averaging-candidates.ts";
import { type Level, levelsOf } from "./levels.ts";
import type { LoadTimes, MeasuredAveraging } from "./measure-averaging.ts";
import type { PowerSample } from "./power-sample.ts";
import type { Sensor } from "./sensor.ts";

/** A step is clear when it is at least this share of all that the readings moved, */
const LEAST_SHARE = 0.4;
/** and this many watts. */
const LEAST_STEP_W = 15;
/**
 * A straight way from one level to the next leaves at most this share of the step, in the mean: the
 * age of the readings leaves about half of it, the creep of a capacitor more than it.
 */
const STRAIGHT_SHARE = 0.055;
/** So long after the load's end the power of the device may fall, in ms. */
const LATE_MS = 150;

interface Edge extends FitRange {
  /** Power went straight from one level to the next, as after one step of the load. */
  readonly isStraight: boolean;
  /** When the power stepped, as the best fit has it. */
  readonly stepAtMs: number;
  readonly isFall: boolean;
}

/**
 * How long readings took between levels that they held. The shortest way is the longest that the
 * averaging time can be. A straight fall that began with the load's end, when nothing was left to
 * do, is also the shortest that it can be.
 */
export function spansOfEdges(
  samples: readonly PowerSample[],
  declared: Sensor,
  load?: LoadTimes,
): MeasuredAveraging | undefined {
  const edges = edgesOf(samples, declared);
  if (edges.length === 0) return undefined;
  const shortest = edges.reduce((a, b) => (b.hiMs < a.hiMs ? b : a));
  const loMs = Math.min(shortest.loMs, shortestSpan(edges, load));
  return { averagingMs: shortest.averagingMs, loMs, hiMs: shortest.hiMs, how: "edges" };
}

/** Of falls that began with the load's end; 0 where there is none. */
function shortestSpan(edges: readonly Edge[], load: LoadTimes | undefined): number {
  if (load === undefined) return 0;
  const latestMs = load.endMs + 1.5 * LATE_MS;
  const falls = edges.filter(
    ({ isFall, isStraight, stepAtMs }) =>
      isFall && isStraight && stepAtMs >= load.endMs - LATE_MS / 2 && stepAtMs <= latestMs,
  );
  return falls.length === 0 ? 0 : Math.min(...falls.map(({ loMs }) => loMs));
}

function edgesOf(samples: readonly PowerSample[], declared: Sensor): readonly Edge[] {
  const levels = levelsOf(samples, declared.averagingMs + declared.updateMs);
  const powersW = samples.map(({ powerW }) => powerW);
  const leastW = Math.max(
    LEAST_STEP_W,
    LEAST_SHARE * (Math.max(...powersW) - Math.min(...powersW)),
  );
  return levels.flatMap((level, i) => {
    const next = levels[i + 1];
    if (next === undefined || Math.abs(next.powerW - level.powerW) < leastW) return [];
    return [fitEdge(samples.slice(level.first, next.last + 1), level, next)];
  });
}

/** Fits a straight way between two levels, for each averaging time and each time of the step. */
function fitEdge(part: readonly PowerSample[], from: Level, to: Level): Edge {
  const stepW = to.powerW - from.powerW;
  const shares = part.map(({ atMs, powerW }) => ({ atMs, share: (powerW - from.powerW) / stepW }));
  const fits = CANDIDATES_MS.map((averagingMs) => {
    let residual = Number.POSITIVE_INFINITY;
    let stepAtMs = from.endMs;
    for (let atMs = from.endMs - averagingMs; atMs <= to.startMs; atMs += 20) {
      const left = leftOver(shares, atMs, averagingMs);
      if (left < residual) [residual, stepAtMs] = [left, atMs];
    }
    return { averagingMs, residual, stepAtMs };
  });
  const range = fitRange(fits, 0.01);
  const best = fits.find(({ averagingMs }) => averagingMs === range.averagingMs)!;
  const moving = shares.filter(({ share }) => share > 0.02 && share < 0.98).length;
  return {
    ...range,
    isStraight: best.residual <= STRAIGHT_SHARE ** 2 * Math.max(1, moving),
    stepAtMs: best.stepAtMs,
    isFall: stepW < 0,
  };
}

function leftOver(
  shares: readonly { readonly atMs: number; readonly share: number }[],
  stepAtMs: number,
  averagingMs: number,
): number {
  let sum = 0;
  for (const { atMs, share } of shares) {
    const fitted = Math.min(1, Math.max(0, (atMs - stepAtMs) / averagingMs));
    sum += (share - fitted) ** 2;
  }
  return sum;
}
