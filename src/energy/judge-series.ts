import { samplesInside } from "./integrate.ts";
import type { PowerSample } from "./power-sample.ts";
import { type Refusal, refusal } from "./rail-refusal.ts";
import { type Sensor, settleMs } from "./sensor.ts";

/** What is known of one device's readings besides the readings. */
export interface SeriesFacts {
  /** What the device is called in the words for people. */
  readonly name: string;
  /** The sample period that was asked for, in ms. */
  readonly periodMs: number;
  readonly sensor: Sensor;
  /** Why no further reading comes, where that is so. */
  readonly stalled?: string | undefined;
  /** Whether the device worked in the window, so that its readings had to move. */
  readonly isWorking: boolean;
}

/** A gap longer than this, in ms and in observed ticks, is one in which anything may have happened. */
const GAP_MS = 1000;
const GAP_TICKS = 3;

/** Unmoved for longer than this, in ms, under work: the sensor is stuck. */
const FROZEN_MS = 10_000;

/**
 * Why one device's readings give no figure for a window; nothing when they do.
 *
 * @param samples - the device's readings in time order, with those around the window.
 */
export function judgeSeries(
  samples: readonly PowerSample[],
  startMs: number,
  endMs: number,
  facts: SeriesFacts,
): readonly Refusal[] {
  const tickMs = medianTickMs(samples) ?? facts.periodMs;
  const inside = samplesInside(samples, startMs, endMs);
  const stalled = stalledIn(samples, endMs, facts);
  const found = [
    tooShort(startMs, endMs, tickMs, facts),
    stalled,
    inside.length === 0
      ? refusal("rail_no_samples", `${facts.name}: no reading lies inside the window`)
      : // Where the source ended, there is no hole but the end.
        gapIn(samples, startMs, stalled ? (inside.at(-1)?.atMs ?? endMs) : endMs, tickMs, facts),
    frozenIn(inside, samples, facts),
  ].filter((reason) => reason !== undefined);
  if (found.length > 0) return found;
  const unbracketed = notBracketed(samples, startMs, endMs, tickMs, facts);
  return unbracketed ? [unbracketed] : [];
}

/** The middle interval between readings, in ms: what the source really does. */
export function medianTickMs(samples: readonly PowerSample[]): number | undefined {
  // Typed, since a long run has a million of them and numbers sort five times as fast so.
  const gapsMs = new Float64Array(Math.max(0, samples.length - 1));
  for (let i = 1; i < samples.length; i++) gapsMs[i - 1] = samples[i]!.atMs - samples[i - 1]!.atMs;
  return gapsMs.sort()[gapsMs.length >> 1];
}

function tooShort(
  startMs: number,
  endMs: number,
  tickMs: number,
  { name, sensor }: SeriesFacts,
): Refusal | undefined {
  const leastMs = Math.max(2 * tickMs, sensor.updateMs);
  if (endMs - startMs >= leastMs) return undefined;
  return refusal(
    "window_too_short",
    `${name}: the window is ${ms(endMs - startMs)} long, a reading comes every ${ms(tickMs)}; at least ${ms(leastMs)} are needed`,
  );
}

function stalledIn(
  samples: readonly PowerSample[],
  endMs: number,
  { name, stalled }: SeriesFacts,
): Refusal | undefined {
  const last = samples.at(-1);
  if (stalled === undefined || (last !== undefined && last.atMs >= endMs)) return undefined;
  const missing =
    last === undefined
      ? ""
      : `; its last reading is ${ms(endMs - last.atMs)} before the end of the window`;
  return refusal("rail_stalled", `${name}: ${stalled}${missing}`);
}

/** Whether readings are missing in a window, so that anything may have happened there. */
export function gapIn(
  samples: readonly PowerSample[],
  startMs: number,
  endMs: number,
  tickMs: number,
  { name }: Pick<SeriesFacts, "name">,
): Refusal | undefined {
  const inWindow = samples.map(({ atMs }) => Math.min(Math.max(atMs, startMs), endMs));
  const edges = [startMs, ...inWindow, endMs];
  let longestMs = 0;
  for (let i = 1; i < edges.length; i++) longestMs = Math.max(longestMs, edges[i]! - edges[i - 1]!);
  if (longestMs <= GAP_MS || longestMs <= GAP_TICKS * tickMs) return undefined;
  return refusal(
    "rail_gap",
    `${name}: no reading for ${ms(longestMs)} inside the window, where one comes every ${ms(tickMs)}`,
  );
}

function frozenIn(
  inside: readonly PowerSample[],
  samples: readonly PowerSample[],
  { name, isWorking }: SeriesFacts,
): Refusal | undefined {
  // A source that only ever says whole watts may well say the same one for long.
  const hasDigits = samples.some(({ powerW }) => !Number.isInteger(powerW));
  if (!isWorking || !hasDigits) return undefined;
  let sinceMs = inside[0]?.atMs ?? 0;
  for (const [i, { atMs, powerW }] of inside.entries()) {
    if (powerW !== inside[i - 1]?.powerW) sinceMs = atMs;
    if (atMs - sinceMs > FROZEN_MS)
      return refusal(
        "rail_frozen",
        `${name}: the reading stood at ${powerW} W to the last digit for more than ${ms(FROZEN_MS)}; a working sensor moves`,
      );
  }
  return undefined;
}

/** Whether the readings end too close to a window to tell all of it. */
export function notBracketed(
  samples: readonly PowerSample[],
  startMs: number,
  endMs: number,
  tickMs: number,
  { name, sensor }: Pick<SeriesFacts, "name" | "sensor">,
): Refusal | undefined {
  const before = samples.findLast(({ atMs }) => atMs <= startMs);
  const after = samples.find(({ atMs }) => atMs >= endMs);
  const lastMs = samples.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY;
  // The settle time without the two periods that let a reading come.
  const lagMs = sensor.kind === "average" ? settleMs(sensor, 0) : 0;
  if (
    before !== undefined &&
    startMs - before.atMs <= 2 * tickMs &&
    after !== undefined &&
    after.atMs - endMs <= 2 * tickMs &&
    lastMs >= endMs + lagMs
  )
    return undefined;
  return refusal(
    "rail_not_bracketed",
    `${name}: the readings do not reach far enough around the window (${ms(2 * tickMs)} before it, ${ms(Math.max(lagMs, 2 * tickMs))} after it)`,
  );
}

function ms(value: number): string {
  return value >= 1000 ? `${(value / 1000).toFixed(2)} s` : `${value.toFixed(0)} ms`;
}
