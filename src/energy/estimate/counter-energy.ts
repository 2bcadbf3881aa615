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

/**
 * The energy of a window from a counter of joules: the difference of the counts beside its edges,
 * with what lies between a count and its edge taken from a fit of the power around it.
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
  const from = nearest(counts, startMs);
  const to = nearest(counts, endMs);
  if (from === undefined || to === undefined) return undefined;
  const start = beside(counts, from, startMs);
  const end = beside(counts, to, endMs);
  const between = { meanJ: to.energyJ - from.energyJ, sdJ: 0 };
  return sumOfJoules([between, end, { ...start, meanJ: -start.meanJ }]);
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
    if (counterJ === undefined) continue;
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
    const powerW = ((to.energyJ - from.energyJ) / lengthMs) * 1000;
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
