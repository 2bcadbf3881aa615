import type { PowerSample } from "../power-sample.ts";
import type { Sensor } from "../sensor.ts";
import { type Joules, sumOfJoules } from "./joules.ts";
import type { MeanRow } from "./mean-row.ts";
import { fitPower, type PowerFit } from "./power-fit.ts";

/** One value of a counter of joules, with when it was taken. */
interface Count {
  readonly atMs: number;
  readonly sdMs: number;
  readonly energyJ: number;
}

/** So much around an edge is looked at, in ms. */
const AROUND_MS = 2500;
const BIN_MS = 25;
const ROUNDS = 12;
const NOISE_W = 0.3;
const EVEN_SD = 1 / Math.sqrt(12);
/** Power that stands still so far outside an edge tells what the counter was at the edge. */
const STILL_MS = 1500;
const LEAST_STILL_MS = 600;
/** Still power moves by no more than the larger of these, the second in deviations of the stamps. */
const STILL_W = 5;
const STILL_SDS = 2.5;
/** A load that begins less than this before a window is taken to begin with it, in ms. */
const EARLY_MS = 60;
/** So many deviations of its time may a count err. */
const STAMP_SDS = 2.5;
/** Standard deviation of the begin of a load that is taken to begin with the window. */
const UNSEEN_MS = 10;
/** Quiet is surer than the count nearest to an edge where a load adds at least this share of it. */
const STEP_SHARE = 0.5;

/**
 * The energy of a window from a counter of joules: the difference of its values at the edges.
 *
 * Where the power stands still outside an edge, a count out there is sure however unsure its time,
 * and still power leads from it to the edge. Elsewhere the count nearest to the edge is taken, and
 * a fit of the power around it.
 *
 * @param samples - in time order, with counts.
 * @returns `undefined` where no count lies on both sides of each edge, or the counter went back
 *   between them.
 */
export function counterEnergy(
  samples: readonly PowerSample[],
  startMs: number,
  endMs: number,
  sensor: Sensor,
): Joules | undefined {
  const counts = countsOf(samples, endMs, sensor);
  const from = valueAt(counts, startMs, quietValue(counts, startMs, sensor));
  const quietEnd = quietValue(backwards(counts), -endMs, sensor);
  const to = valueAt(counts, endMs, quietEnd && { ...quietEnd, meanJ: -quietEnd.meanJ });
  if (from === undefined || to === undefined) return undefined;
  return sumOfJoules([to, { ...from, meanJ: -from.meanJ }]);
}

/**
 * The counts at which the counter moved. One that was reset tells nothing of before; of one that is
 * reset after the window, what came before counts.
 */
function countsOf(
  samples: readonly PowerSample[],
  endMs: number,
  { updateMs }: Sensor,
): readonly Count[] {
  const counts: Count[] = [];
  let before: PowerSample | undefined;
  for (const sample of samples) {
    const { atMs, counterJ } = sample;
    if (counterJ === undefined || !Number.isFinite(counterJ)) continue;
    const gapMs = before === undefined ? updateMs : atMs - before.atMs;
    const lastJ = before?.counterJ;
    before = sample;
    if (lastJ === counterJ) continue;
    if (lastJ !== undefined && counterJ < lastJ) {
      if (atMs > endMs) break;
      counts.length = 0;
    }
    const oldestMs = Math.min(updateMs, gapMs);
    counts.push({ atMs: atMs - oldestMs / 2, sdMs: oldestMs * EVEN_SD, energyJ: counterJ });
  }
  return counts;
}

/** The value of the counter at a moment between two counts. */
function valueAt(
  counts: readonly Count[],
  atMs: number,
  quiet: Joules | undefined,
): Joules | undefined {
  const count = nearest(counts, atMs);
  if (count === undefined) return undefined;
  if (quiet) return quiet;
  const { meanJ, sdJ } = beside(counts, count, atMs);
  return { meanJ: count.energyJ + meanJ, sdJ };
}

/** The same counts with time reversed, so that what follows an edge precedes it. */
function backwards(counts: readonly Count[]): readonly Count[] {
  return counts
    .map(({ atMs, sdMs, energyJ }) => ({ atMs: -atMs, sdMs, energyJ: -energyJ }))
    .reverse();
}

/**
 * The value of the counter at an edge, from counts of still power before it.
 *
 * @returns `undefined` where the power moves before the edge, or no load begins at it.
 */
function quietValue(
  counts: readonly Count[],
  edgeMs: number,
  { updateMs }: Sensor,
): Joules | undefined {
  const outside = counts.filter(
    ({ atMs }) => atMs >= edgeMs - STILL_MS && atMs <= edgeMs - updateMs,
  );
  const [far, near] = [outside[0], outside.at(-1)];
  if (far === undefined || near === undefined) return undefined;
  const stillMs = near.atMs - far.atMs;
  if (stillMs < LEAST_STILL_MS) return undefined;
  const quietW = powerBetweenW(far, near);
  const inside = counts.filter(({ atMs }) => atMs >= edgeMs + updateMs).slice(0, 3);
  const stepW = highestPowerW(inside) - quietW;
  if (stepW < STEP_SHARE * quietW || !isStill(outside, quietW)) return undefined;
  const unseenJ = earlyJ(near, inside[0]!, quietW, stepW, edgeMs);
  const stampsJ = (quietW * Math.hypot(near.sdMs, inside[0]!.sdMs)) / 1000;
  const earlyMs = Math.min(EARLY_MS, STAMP_SDS * inside[0]!.sdMs);
  if (unseenJ > (stepW * earlyMs) / 1000 + stampsJ) return undefined;
  const reachMs = edgeMs - near.atMs;
  // What seems to come early is in the interval: it may be a late stamp, or a load before the edge.
  // The nearer stamp errs twice: as the begin of the reach, and in the power that is taken for it.
  const lever = reachMs / stillMs;
  const stampsMs = Math.hypot(near.sdMs * (1 + lever), far.sdMs * lever);
  return {
    meanJ: near.energyJ + (quietW * reachMs) / 1000,
    sdJ:
      Math.hypot(
        quietW * stampsMs,
        NOISE_W * reachMs,
        stepW * UNSEEN_MS,
        1000 * Math.max(0, unseenJ),
      ) / 1000,
  };
}

function isStill(counts: readonly Count[], quietW: number): boolean {
  return counts.slice(1).every((to, i) => {
    const from = counts[i]!;
    const stampsW = (quietW * Math.hypot(from.sdMs, to.sdMs)) / (to.atMs - from.atMs);
    return Math.abs(powerBetweenW(from, to) - quietW) <= Math.max(STILL_W, STILL_SDS * stampsW);
  });
}

/** What was counted up to just after an edge beyond what a step at the edge itself would give. */
function earlyJ(near: Count, inside: Count, quietW: number, stepW: number, edgeMs: number): number {
  const quietJ = (quietW * (inside.atMs - near.atMs)) / 1000;
  const stepJ = (stepW * (inside.atMs - edgeMs)) / 1000;
  return inside.energyJ - near.energyJ - quietJ - stepJ;
}

/** The highest power between counts; `-Infinity` where there are less than two. */
function highestPowerW(counts: readonly Count[]): number {
  return Math.max(...counts.slice(1).map((to, i) => powerBetweenW(counts[i]!, to)));
}

function powerBetweenW(from: Count, to: Count): number {
  return ((to.energyJ - from.energyJ) / (to.atMs - from.atMs)) * 1000;
}

/** The count that is nearest to a moment which lies between two. */
function nearest(counts: readonly Count[], atMs: number): Count | undefined {
  const after = counts.findIndex((count) => count.atMs >= atMs);
  const [before, behind] = [counts[after - 1], counts[after]];
  if (before === undefined || behind === undefined) return undefined;
  return atMs - before.atMs <= behind.atMs - atMs ? before : behind;
}

/** Joules from a count to a moment beside it; negative where the moment is earlier. */
function beside(counts: readonly Count[], count: Count, atMs: number): Joules {
  const fit = fitAround(counts, atMs);
  const { meanJ, sdJ } = fit.energy(Math.min(count.atMs, atMs), Math.max(count.atMs, atMs));
  // The count was taken a little earlier or later than is thought, at about this power.
  const stampJ = (fit.powerAtW(count.atMs) * count.sdMs) / 1000;
  return { meanJ: count.atMs <= atMs ? meanJ : -meanJ, sdJ: Math.hypot(sdJ, stampJ) };
}

function fitAround(counts: readonly Count[], atMs: number): PowerFit {
  const rows = rowsAround(counts, atMs);
  return fitPower(rows, {
    startMs: Math.min(...rows.map(({ fromMs }) => fromMs)),
    endMs: Math.max(...rows.map(({ toMs }) => toMs)),
    binMs: BIN_MS,
    rounds: ROUNDS,
  });
}

function rowsAround(counts: readonly Count[], atMs: number): readonly MeanRow[] {
  const rows: MeanRow[] = [];
  for (let i = 1; i < counts.length; i++) {
    const from = counts[i - 1]!;
    const to = counts[i]!;
    const isBeside = from.atMs <= atMs && to.atMs >= atMs;
    if (!isBeside && (to.atMs < atMs - AROUND_MS || from.atMs > atMs + AROUND_MS)) continue;
    const lengthMs = to.atMs - from.atMs;
    if (lengthMs <= 0) continue;
    const powerW = powerBetweenW(from, to);
    const stampsW = (powerW * Math.hypot(from.sdMs, to.sdMs)) / lengthMs;
    rows.push({
      fromMs: from.atMs,
      toMs: to.atMs,
      powerW,
      shiftSdMs: 0,
      noiseW: Math.hypot(NOISE_W, stampsW),
    });
  }
  return rows;
}
