import type { PowerSample } from "./power-sample.ts";

/** An update that is seen takes at least so many readings; with fewer it is their own period. */
const LEAST_READINGS = 2.5;

/** So many changes at least, or none is told. */
const LEAST_CHANGES = 10;

/**
 * How often a column changes, in ms: the median time between two changes.
 *
 * @param samples - of one device in time order, taken several times as often as it changes.
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
  const updateMs = medianGap(changesAtMs);
  const periodMs = medianGap(samples.map(({ atMs }) => atMs));
  return updateMs >= LEAST_READINGS * periodMs ? updateMs : undefined;
}

function medianGap(timesMs: readonly number[]): number {
  const gaps = timesMs.slice(1).map((atMs, i) => atMs - timesMs[i]!);
  return gaps.toSorted((a, b) => a - b)[gaps.length >>> 1]!;
}
