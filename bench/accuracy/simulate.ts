import { seededRandom } from "../../src/stats/seeded-random.ts";
import { type JudgedWindow, judge } from "./judge.ts";
import { quietStretches } from "./quiet-stretches.ts";
import { readWorkload, SENSORS, type SensorKind } from "./sensors.ts";
import { makeWorkload } from "./shapes.ts";
import { type AskedWindow, windowsAnywhere, windowsAroundLoads } from "./windows.ts";
import type { Workload } from "./workload.ts";

export interface SimulationPlan {
  readonly shapes: readonly string[];
  readonly sensors: readonly SensorKind[];
  readonly periodsMs: readonly number[];
  /** Of each family, for each shape, sensor and period. */
  readonly windows: number;
  readonly seed: number;
}

/** Windows that share one workload and one series of readings; the next have others. */
const WINDOWS_PER_WORKLOAD = 10;

/** Judges the same windows by every sensor at every period; the same figures for the same plan. */
export function simulate(plan: SimulationPlan): readonly JudgedWindow[] {
  return plan.shapes.flatMap((shape) => {
    const judged: JudgedWindow[] = [];
    let aroundLoads = 0;
    for (let i = 0; i * WINDOWS_PER_WORKLOAD < plan.windows; i++) {
      const due = Math.min((i + 1) * WINDOWS_PER_WORKLOAD, plan.windows);
      const random = seededRandom(workloadSeed(plan, i), 100);
      const workload = makeWorkload(shape, workloadSeed(plan, i));
      const stretches = quietStretches(workload.curve, workload.endMs);
      const anywhere = due - i * WINDOWS_PER_WORKLOAD;
      // What a workload without usable loads leaves open, the next one gives.
      const around = windowsAroundLoads(workload, stretches, due - aroundLoads, random);
      aroundLoads += around.length;
      const windows = [...windowsAnywhere(workload, stretches, anywhere, random), ...around];
      judged.push(...judgeAll(plan, workload, windows, workloadSeed(plan, i)));
    }
    return judged;
  });
}

function workloadSeed({ seed }: SimulationPlan, i: number): number {
  return seed * 1000 + i;
}

/** The same windows by each sensor at each period. */
function judgeAll(
  { sensors, periodsMs }: SimulationPlan,
  workload: Workload,
  windows: readonly AskedWindow[],
  seed: number,
): readonly JudgedWindow[] {
  return sensors.flatMap((kind) =>
    periodsMs.flatMap((periodMs) => {
      // So that leaving out one sensor does not move the others.
      const stream = 10_000 * (SENSORS.indexOf(kind) + 1) + periodMs;
      const readings = readWorkload(workload, kind, periodMs, seededRandom(seed, stream));
      return windows.map((window) => judge(workload, readings, window));
    }),
  );
}
