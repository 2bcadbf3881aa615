import type { Joules } from "./joules.ts";
import type { MeanRow } from "./mean-row.ts";

/** How far a moment may be moved to where readings stand still, in ms, and in which steps. */
const REACH_MS = 2000;
const STEP_MS = 100;

/**
 * The middle of a long window: readings stand for the power half an averaging time before them, and
 * straight lines join them. Its error is that of the joins, which even out, and at each end at most
 * an eighth of the averaging time × how far the readings around it lie apart.
 *
 * @param rows - in time order, of one averaging time.
 */
export function middleEnergy(rows: readonly MeanRow[], startMs: number, endMs: number): Joules {
  let energyMj = 0;
  let varianceMj = 0;
  for (let i = 1; i < rows.length; i++) {
    const before = rows[i - 1]!;
    const after = rows[i]!;
    const fromMs = centreMs(before);
    const toMs = centreMs(after);
    const cutFromMs = Math.max(fromMs, startMs);
    const cutToMs = Math.min(toMs, endMs);
    if (cutToMs <= cutFromMs) continue;
    const slope = (after.powerW - before.powerW) / (toMs - fromMs);
    const centreW = before.powerW + slope * ((cutFromMs + cutToMs) / 2 - fromMs);
    energyMj += centreW * (cutToMs - cutFromMs);
    varianceMj += ((after.powerW - before.powerW) * (cutToMs - cutFromMs)) ** 2 / 12;
  }
  const lengthMs = rows.length === 0 ? 0 : rows[0]!.toMs - rows[0]!.fromMs;
  const atEndsMj = [startMs, endMs].map((atMs) => (rangeAround(rows, atMs) * lengthMs) / 8);
  return { meanJ: energyMj / 1000, sdJ: Math.hypot(Math.sqrt(varianceMj), ...atEndsMj) / 1000 };
}

/** The moment near a given one at which the readings move least, in ms. */
export function calmestMs(rows: readonly MeanRow[], aboutMs: number): number {
  const near = rows.filter(
    ({ fromMs, toMs }) => toMs >= aboutMs - 2 * REACH_MS && fromMs <= aboutMs + 2 * REACH_MS,
  );
  let bestMs = aboutMs;
  let leastW = Number.POSITIVE_INFINITY;
  for (let atMs = aboutMs - REACH_MS; atMs <= aboutMs + REACH_MS; atMs += STEP_MS) {
    const rangeW = rangeAround(near, atMs);
    if (rangeW < leastW) [bestMs, leastW] = [atMs, rangeW];
  }
  return bestMs;
}

/** How far the readings lie apart whose intervals hold a moment, or begin soon after it, in W. */
function rangeAround(rows: readonly MeanRow[], atMs: number): number {
  let lowW = Number.POSITIVE_INFINITY;
  let highW = Number.NEGATIVE_INFINITY;
  for (const { fromMs, toMs, powerW } of rows) {
    if (toMs < atMs || fromMs > atMs + (toMs - fromMs) / 2) continue;
    lowW = Math.min(lowW, powerW);
    highW = Math.max(highW, powerW);
  }
  return Math.max(0, highW - lowW);
}

function centreMs({ fromMs, toMs }: MeanRow): number {
  return (fromMs + toMs) / 2;
}
