import { type Random, shuffle } from "../../src/stats/seeded-random.ts";
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
/** How far a quiet window may reach beyond its load, of every second one, and of the others. */
const REACH_MS = 300;
const CLOSE_MS = 10;
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

/**
 * Windows around one load each, and no load twice: readings of the same load err alike.
 *
 * @returns `count` of them, or fewer where not so many loads are of the right length with quiet
 *   around them.
 */
export function windowsAroundLoads(
  { curve, loads }: Workload,
  stretches: readonly Stretch[],
  count: number,
  random: Random,
): readonly AskedWindow[] {
  const order = [...loads];
  shuffle(order, random);
  const windows: AskedWindow[] = [];
  for (const load of order) {
    if (windows.length === count) break;
    // A benchmark's window begins with its load and ends with it; any other has some room.
    const reachMs = windows.length % 2 === 0 ? CLOSE_MS : REACH_MS;
    const startMs = load.startMs - uniform(random, 0, reachMs);
    const endMs = load.endMs + uniform(random, 0, reachMs);
    const isAsked =
      endMs - startMs >= SHORTEST_MS &&
      endMs - startMs <= LONGEST_MS &&
      isConstant(curve, startMs - SETTLE_MS, load.startMs) &&
      isConstant(curve, load.endMs, endMs + SETTLE_MS);
    if (isAsked) windows.push(asked("quiet", startMs, endMs, stretches));
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
