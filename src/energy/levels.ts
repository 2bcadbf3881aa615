import type { PowerSample } from "./power-sample.ts";

/** Readings that stand still. */
export interface Level {
  readonly powerW: number;
  /** Places of its first and last reading. */
  readonly first: number;
  readonly last: number;
  readonly startMs: number;
  readonly endMs: number;
}

/** Readings of one level lie within this share of all that the readings move, */
const SPREAD_SHARE = 0.08;
/** and never need to lie closer together than this, in W. */
const LEAST_SPREAD_W = 2;

/**
 * The stretches in which readings stand still for at least `holdMs`, in time order; each as long as
 * it can be, and none shares a reading with the one before.
 */
export function levelsOf(samples: readonly PowerSample[], holdMs: number): readonly Level[] {
  const powersW = samples.map(({ powerW }) => powerW);
  const moveW = Math.max(...powersW) - Math.min(...powersW);
  const spreadW = Math.max(LEAST_SPREAD_W, SPREAD_SHARE * moveW);
  const levels: Level[] = [];
  for (let first = 0; first < samples.length; ) {
    const last = lastStill(powersW, first, spreadW);
    const spanMs = samples[last]!.atMs - samples[first]!.atMs;
    if (spanMs >= holdMs && last - first >= 2) {
      levels.push(levelOf(samples, first, last));
      first = last + 1;
    } else first++;
  }
  return levels;
}

function lastStill(powersW: readonly number[], first: number, spreadW: number): number {
  let lowW = powersW[first]!;
  let highW = lowW;
  let last = first;
  for (let i = first + 1; i < powersW.length; i++) {
    lowW = Math.min(lowW, powersW[i]!);
    highW = Math.max(highW, powersW[i]!);
    if (highW - lowW > spreadW) break;
    last = i;
  }
  return last;
}

function levelOf(samples: readonly PowerSample[], first: number, last: number): Level {
  const own = samples.slice(first, last + 1).map(({ powerW }) => powerW);
  const middle = own.toSorted((a, b) => a - b)[own.length >>> 1]!;
  return {
    powerW: middle,
    first,
    last,
    startMs: samples[first]!.atMs,
    endMs: samples[last]!.atMs,
  };
}
