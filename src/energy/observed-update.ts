import type { PowerSample } from "./power-sample.ts";

/** An update that is seen takes at least so many readings; with fewer it is their own period. */
const LEAST_READINGS = 1.5;

/** So many changes at least, or none is told. */
const LEAST_CHANGES = 10;

/** A longer time without a change than this times the usual one is a pause. */
const PAUSE = 1.75;

/**
 * How often a column changes, in ms: the mean time between two changes, pauses left out.
 *
 * @param samples - of one device in time order, taken more often than it changes.
 * @returns `undefined` where it changes too rarely, or as often as it is read.
 */
export function observedUpdateMs(
  samples: readonly PowerSample[],
  wattsOf: (sample: PowerSample) => number | undefined,
): number | undefined {
  const changesAtMs: number[] = [];
  for (const [i, sample] of samples.entries()) {
    const before = samples[i - 1];
    if (before !== undefined && wattsOf(before) !== wattsOf(sample)) changesAtMs.push(sample.atMs);
  }
  if (changesAtMs.length < LEAST_CHANGES) return undefined;
  const gapsMs = gapsOf(changesAtMs);
  const usual = gapsMs.filter((gapMs) => gapMs <= PAUSE * median(gapsMs));
  const updateMs = usual.reduce((sum, gapMs) => sum + gapMs, 0) / usual.length;
  const periodMs = median(gapsOf(samples.map(({ atMs }) => atMs)));
  return updateMs >= LEAST_READINGS * periodMs ? Math.round(updateMs) : undefined;
}

function gapsOf(timesMs: readonly number[]): readonly number[] {
  return timesMs.slice(1).map((atMs, i) => atMs - timesMs[i]!);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >>> 1]!;
}
