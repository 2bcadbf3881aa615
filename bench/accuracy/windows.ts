import { type Random, randomBelow } from "../../src/stats/seeded-random.ts";
import { distanceMs, isConstant, type Stretch } from "./quiet-stretches.ts";
import { uniform, type Workload } from "./workload.ts";

/** `anywhere`: at a random time. `quiet`: around one load, with constant power on both sides. */
export type WindowFamily = "anywhere" | "quiet";

/** A time whose energy is asked for. */
export interface AskedWindow {
  readonly family: WindowFamily;
  readonly startMs: number;
  readonly endMs: number;
  /** From the worse of its two edges to the nearest time of constant power, in ms. */
  readonly quietDistanceMs: number;
}

const SHORTEST_MS = 1000;
const LONGEST_MS = 10_000;
/** How far a quiet window may reach beyond its load. */
const REACH_MS = 300;
/** How long the power stands still beside it. */
const SETTLE_MS = 1600;
/** Readings that every window has around it in the workload, in ms. */
const MARGIN_MS = 10_000;

/** Windows of 1 to 10 s that begin at random times. */
export function windowsAnywhere(
  workload: Workload,
  stretches: readonly Stretch[],
  count: number,
  random: Random,
): readonly AskedWindow[] {
  return Array.from({ length: count }, () => {
    const lengthMs = uniform(random, SHORTEST_MS, LONGEST_MS);
    const startMs = uniform(random, MARGIN_MS, workload.endMs - MARGIN_MS - lengthMs);
    return asked("anywhere", startMs, startMs + lengthMs, stretches);
  });
}

/** Windows around one load each; none where no load is of the right length with quiet around it. */
export function windowsAroundLoads(
  { curve, loads }: Workload,
  stretches: readonly Stretch[],
  count: number,
  random: Random,
): readonly AskedWindow[] {
  const usable = loads.filter(
    ({ startMs, endMs }) =>
      endMs - startMs <= LONGEST_MS - 2 * REACH_MS &&
      isConstant(curve, startMs - REACH_MS - SETTLE_MS, startMs) &&
      isConstant(curve, endMs, endMs + REACH_MS + SETTLE_MS),
  );
  if (usable.length === 0) return [];
  const windows: AskedWindow[] = [];
  while (windows.length < count) {
    const load = usable[randomBelow(random, usable.length)]!;
    const startMs = load.startMs - uniform(random, 0, REACH_MS);
    const endMs = load.endMs + uniform(random, 0, REACH_MS);
    // A load of 0.7 s and its reach may be short of a window.
    if (endMs - startMs >= SHORTEST_MS) windows.push(asked("quiet", startMs, endMs, stretches));
    else if (usable.every((one) => one.endMs - one.startMs < SHORTEST_MS)) break;
  }
  return windows;
}

function asked(
  family: WindowFamily,
  startMs: number,
  endMs: number,
  stretches: readonly Stretch[],
): AskedWindow {
  const quietDistanceMs = Math.max(distanceMs(stretches, startMs), distanceMs(stretches, endMs));
  return { family, startMs, endMs, quietDistanceMs };
}
