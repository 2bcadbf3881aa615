import type { EnergyEstimate, EstimateMethod } from "./energy-estimate.ts";
import { averagingCandidates } from "./estimate/averaging-candidates.ts";
import { counterEnergy } from "./estimate/counter-energy.ts";
import type { FittedEnergy, QuietSides } from "./estimate/energy-to-quiet.ts";
import type { Joules } from "./estimate/joules.ts";
import { type Column, meanEnergy } from "./estimate/mean-energy.ts";
import { quietBeside, quietStretches } from "./estimate/quiet-stretches.ts";
import { readingsBetween, readingsInOrder } from "./estimate/readings-in-order.ts";
import { secondColumn } from "./estimate/second-column.ts";
import { gapIn, medianTickMs, notBracketed } from "./judge-series.ts";
import type { PowerSample } from "./power-sample.ts";
import { type Refusal, refusal } from "./rail-refusal.ts";
import type { Sensor } from "./sensor.ts";

export interface EstimateOptions {
  /** Another column or source that reads the same device: it sharpens the edges. */
  readonly second?: { readonly samples: readonly PowerSample[]; readonly sensor: Sensor };
  /** What the device is called in reasons; default `the device`. */
  readonly name?: string;
}

/**
 * Half of a 95 % interval in standard deviations of the fit. More than 1.96, since the fit learns
 * how much the power changes from the very readings that it explains, and a sensor that sees little
 * of the time learns less. Found on simulated loads: docs/method.md, `npm run bench:accuracy`.
 */
const HALF_WIDTHS: Readonly<Record<Sensor["kind"], number>> = {
  average: 2.4,
  counter: 3,
  instant: 3,
};

/**
 * A real sensor is no perfect mean: the pulse areas of the two columns of one card were 0.6 % apart
 * in a recording. Standard deviation, as a share of the energy.
 */
const SENSOR_SHARE = 0.0015;

/** No sensor averages for longer, in ms: readings around a window would not reach. */
const LONGEST_AVERAGING_MS = 8000;

/** How far around a window readings are looked at, in ms: enough for any candidate. */
const AROUND_MS = 20_000;

/**
 * The energy that one device really took in a window, with its 95 % interval, from readings of a
 * sensor that lags, averages, repeats itself or skips.
 *
 * The interval covers the time at which readings were taken, what no reading saw, and averaging
 * times that explain the readings better than the declared one. The sensor's gain error is not in it.
 *
 * @param samples - one device's readings with those around the window: two ticks before it, and an
 *   averaging time and an update after it at least. Order and repeated stamps do not matter.
 * @returns `undefined` where the readings do not tell; `explainedEstimate` says why.
 */
export function estimate(
  samples: readonly PowerSample[],
  startMs: number,
  endMs: number,
  sensor: Sensor,
  options: EstimateOptions = {},
): EnergyEstimate | undefined {
  const found = explainedEstimate(samples, startMs, endMs, sensor, options);
  return "reason" in found ? undefined : found;
}

/** `estimate`, with the reason in the place of an estimate that cannot be. */
export function explainedEstimate(
  samples: readonly PowerSample[],
  startMs: number,
  endMs: number,
  sensor: Sensor,
  options: EstimateOptions = {},
): EnergyEstimate | Refusal {
  const { name = "the device" } = options;
  const ordered = readingsInOrder(samples);
  const refused = refusalOf(ordered, startMs, endMs, sensor, name);
  if (refused) return refused;
  if (sensor.kind === "counter") {
    const joules = counterEnergy(ordered, startMs, endMs, sensor);
    if (joules && Number.isFinite(joules.meanJ + joules.sdJ))
      return interval([joules], joules.meanJ, "counter");
    return refusal(
      "rail_not_bracketed",
      `${name}: no count on both sides of each edge of the window, or a counter that went back`,
    );
  }
  const around = readingsBetween(ordered, startMs - AROUND_MS, endMs + AROUND_MS);
  const columns: readonly [Column, ...Column[]] = [
    { samples: around, sensor },
    ...secondColumn(around, options.second, startMs, endMs),
  ];
  const quiet = quietSides(around, startMs, endMs, sensor);
  const { joules, bestJ, isQuiet } = ofCandidates(columns, startMs, endMs, quiet);
  const method = isQuiet ? "quiet_edges" : "moving_edges";
  const found = interval(joules, bestJ, sensor.kind === "instant" ? "instant" : method);
  if (Number.isFinite(found.energyJ + found.loJ + found.hiJ)) return found;
  return refusal(
    "rail_not_bracketed",
    `${name}: the readings contradict each other beyond measure`,
  );
}

/** The energy by each averaging time that the readings may have, and the mean of those that count. */
function ofCandidates(
  [main, ...others]: readonly [Column, ...Column[]],
  startMs: number,
  endMs: number,
  quiet: QuietSides,
): { readonly joules: readonly Joules[]; readonly bestJ: number; readonly isQuiet: boolean } {
  const candidates = averagingCandidates(main.samples, startMs, endMs, main.sensor);
  const found = candidates.map(({ averagingMs, share }) => {
    const column = { ...main, sensor: { ...main.sensor, averagingMs } };
    return { share, energies: ofColumns(column, others, startMs, endMs, quiet) };
  });
  const joules = found.flatMap(({ energies }) => energies);
  return {
    joules: joules.flatMap((one) => [one, ...(one.ifQuiet === undefined ? [] : [one.ifQuiet])]),
    bestJ: found.reduce((sum, { share, energies: [best] }) => sum + share * best.meanJ, 0),
    isQuiet: joules.every(({ isQuietBefore, isQuietAfter }) => isQuietBefore && isQuietAfter),
  };
}

/**
 * The energy by all columns. Where the others move it out of what the main one allows, the main one
 * stands, and the interval is to cover both.
 */
function ofColumns(
  main: Column,
  others: readonly Column[],
  startMs: number,
  endMs: number,
  quiet: QuietSides,
): readonly [FittedEnergy, ...FittedEnergy[]] {
  const alone = meanEnergy([main], startMs, endMs, quiet);
  if (others.length === 0) return [alone];
  const joined = meanEnergy([main, ...others], startMs, endMs, quiet);
  const allowedJ = HALF_WIDTHS[main.sensor.kind] * alone.sdJ;
  return Math.abs(joined.meanJ - alone.meanJ) <= allowedJ ? [joined] : [alone, joined];
}

function interval(
  joules: readonly Joules[],
  energyJ: number,
  method: EstimateMethod,
): EnergyEstimate {
  const kind = method === "counter" || method === "instant" ? method : "average";
  const halves = joules.map(({ meanJ, sdJ }) => ({
    meanJ,
    halfJ: HALF_WIDTHS[kind] * (kind === "counter" ? sdJ : Math.hypot(sdJ, SENSOR_SHARE * meanJ)),
  }));
  const loJ = Math.min(...halves.map(({ meanJ, halfJ }) => meanJ - halfJ));
  const hiJ = Math.max(...halves.map(({ meanJ, halfJ }) => meanJ + halfJ));
  // No device gives energy back.
  return { energyJ: Math.max(0, energyJ), loJ: Math.max(0, loJ), hiJ: Math.max(0, hiJ), method };
}

/** The power before a window and after it, where it stood still. */
function quietSides(
  samples: readonly PowerSample[],
  startMs: number,
  endMs: number,
  sensor: Sensor,
): QuietSides {
  const stretches = quietStretches(samples, sensor);
  const tickMs = medianTickMs(samples) ?? sensor.updateMs;
  const toleranceMs = 2 * tickMs + sensor.updateMs;
  const before = quietBeside(stretches, startMs, "before", toleranceMs);
  const after = quietBeside(stretches, endMs, "after", toleranceMs);
  return {
    ...(before === undefined ? {} : { beforeW: before.meanW }),
    ...(after === undefined ? {} : { afterW: after.meanW }),
    tickMs,
  };
}

function refusalOf(
  samples: readonly PowerSample[],
  startMs: number,
  endMs: number,
  sensor: Sensor,
  name: string,
): Refusal | undefined {
  const { averagingMs, updateMs, kind, otherAveragingMs = averagingMs } = sensor;
  if (!(endMs > startMs && Number.isFinite(endMs - startMs)))
    return refusal("window_too_short", `${name}: the window has no length`);
  const isKnown =
    Number.isFinite(averagingMs + updateMs) &&
    updateMs >= 0 &&
    averagingMs <= LONGEST_AVERAGING_MS &&
    otherAveragingMs <= LONGEST_AVERAGING_MS &&
    ((averagingMs > 0 && otherAveragingMs > 0) || kind === "counter");
  if (!isKnown)
    return refusal(
      "rail_sensor_unknown",
      `${name}: the sensor's averaging time (${averagingMs} ms) and update time (${updateMs} ms) are none`,
    );
  if (samples.length === 0)
    return refusal("rail_no_samples", `${name}: no reading lies around the window`);
  const tickMs = medianTickMs(samples) ?? updateMs;
  const throughMs = endMs + (kind === "average" ? averagingMs : 0);
  return (
    notBracketed(samples, startMs, endMs, tickMs, { name, sensor }) ??
    gapIn(samples, startMs, throughMs, tickMs, { name })
  );
}
