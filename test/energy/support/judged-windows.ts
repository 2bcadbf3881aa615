import { type JudgedWindow, judge } from "../../../bench/accuracy/judge.ts";
import { quietStretches } from "../../../bench/accuracy/quiet-stretches.ts";
import { readWorkload } from "../../../bench/accuracy/sensors.ts";
import { makeWorkload, SHAPES } from "../../../bench/accuracy/shapes.ts";
import { windowsAnywhere, windowsAroundLoads } from "../../../bench/accuracy/windows.ts";
import type { PowerSample } from "../../../src/energy/power-sample.ts";
import type { Sensor } from "../../../src/energy/sensor.ts";
import { type Random, seededRandom } from "../../../src/stats/seeded-random.ts";

/** What becomes of readings on their way. */
export type Mangle = (samples: readonly PowerSample[], random: Random) => readonly PowerSample[];

/** How readings are made, what is done to them, and what the estimate is told of them. */
export interface Trial {
  readonly sensor: Sensor;
  /** What the estimate takes the sensor for, where that is something else. */
  readonly declared?: Sensor;
  readonly second?: Sensor;
  readonly periodMs?: number;
  readonly mangle?: Mangle;
  readonly mangleSecond?: Mangle;
  /** Workloads of each shape, with `WINDOWS` windows each; default 2. */
  readonly seeds?: number;
}

/** Half of them anywhere, half around loads. */
const WINDOWS = 8;

/** Judges the same windows of simulated work in each trial; the same for the same trial. */
export function judgedWindows({
  sensor,
  declared = sensor,
  second,
  periodMs = 250,
  mangle = (samples) => samples,
  mangleSecond = (samples) => samples,
  seeds = 2,
}: Trial): readonly JudgedWindow[] {
  return SHAPES.flatMap((shape) =>
    Array.from({ length: seeds }, (_, seed) => {
      const workload = makeWorkload(shape, 500 + seed);
      const stretches = quietStretches(workload.curve, workload.endMs);
      const drawn = seededRandom(seed, 1);
      const windows = [
        ...windowsAnywhere(workload, stretches, WINDOWS / 2, drawn),
        ...windowsAroundLoads(workload, stretches, WINDOWS / 2, drawn),
      ];
      const kind = { name: "trial", sensor, ...(second && { second }) };
      const readings = readWorkload(workload, kind, periodMs, seededRandom(seed, 2));
      const mangled = {
        ...readings,
        kind: { ...kind, sensor: declared },
        samples: mangle(readings.samples, seededRandom(seed, 3)),
        ...(readings.second && { second: mangleSecond(readings.second, seededRandom(seed, 4)) }),
      };
      return windows.map((window) => judge(workload, mangled, window));
    }).flat(),
  );
}

/** Share of the estimated windows whose interval holds the truth. */
export function heldShare(judged: readonly JudgedWindow[]): number {
  const estimates = judged.flatMap(({ estimate, trueJ }) =>
    estimate === undefined ? [] : [{ ...estimate, trueJ }],
  );
  const held = estimates.filter(({ loJ, hiJ, trueJ }) => loJ <= trueJ && trueJ <= hiJ);
  return held.length / estimates.length;
}
