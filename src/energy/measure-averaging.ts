import { matchColumns } from "./match-columns.ts";
import type { PowerSample } from "./power-sample.ts";
import type { Sensor } from "./sensor.ts";
import { spansOfEdges } from "./step-edges.ts";

/** Which averaging times fit to readings that tell of a step of load. */
export interface MeasuredAveraging {
  /** The one that fits best, in ms. */
  readonly averagingMs: number;
  /** From the shortest to the longest that fits; a `loMs` of 0 says that no shortest was seen. */
  readonly loMs: number;
  readonly hiMs: number;
  readonly how: AveragingMethod;
}

/**
 * `second_column`: a mean of the other column over this time looks like the reading, whatever the
 * load did. `edges`: so long the reading took from one level to another.
 */
export type AveragingMethod = "second_column" | "edges";

/** When the load came and went, in ms on the clock of the readings. */
export interface LoadTimes {
  readonly startMs: number;
  readonly endMs: number;
}

/** The columns of one device, as they are declared. */
export interface DeclaredColumns {
  /** Of `powerW`. */
  readonly sensor: Sensor;
  /** Of `instantW`, where it is read. */
  readonly second?: Sensor | undefined;
}

/** Around an edge of the load, readings count for so long, in ms: the longest mean and its quiet. */
const BEFORE_MS = 4000;
const AFTER_MS = 5000;

/**
 * The averaging time that one device's readings themselves show, from a step of load.
 *
 * Levels that are held show how long a reading takes from one to the next: never less than the
 * averaging time, and more where the load itself came or went slowly.
 *
 * @param samples - one device's readings in time order, with some from before the load and after.
 * @param declared - what the columns are taken for; how long a level must be held follows from it.
 * @param load - without it edges are looked for everywhere, and none says how short it can be.
 * @returns `undefined` where the readings show no clear step.
 */
export function measureAveraging(
  samples: readonly PowerSample[],
  declared: DeclaredColumns,
  load?: LoadTimes,
): MeasuredAveraging | undefined {
  const near = load === undefined ? samples : samples.filter(({ atMs }) => isNear(atMs, load));
  return matchColumns(near, declared.second) ?? spansOfEdges(near, declared.sensor, load);
}

function isNear(atMs: number, { startMs, endMs }: LoadTimes): boolean {
  return [startMs, endMs].some((edgeMs) => atMs >= edgeMs - BEFORE_MS && atMs <= edgeMs + AFTER_MS);
}
