import { seededRandom } from "../../src/stats/seeded-random.ts";
import { type JudgedWindow, judge } from "./judge.ts";
import { quietStretches } from "./quiet-stretches.ts";
import { readWorkload, SENSORS, type SensorKind } from "./sensors.ts";
import { makeWorkload } from "./shapes.ts";
import { windowsAnywhere, windowsAroundLoads } from "./windows.ts";

export interface SimulationPlan {
  readonly shapes: readonly string[];
  readonly sensors: readonly SensorKind[];
  readonly periodsMs: readonly number[];
  /** Of each family, for each shape, sensor and period. */
  readonly windows: number;
  readonly seed: number;
}

/** Windows that share one workload and one series of readings; the next have others. */
const WINDOWS_PER_WORKLOAD = 25;

/** Judges the same windows by every sensor at every period; the same figures for the same plan. */
export function simulate(plan: SimulationPlan): readonly JudgedWindow[] {
  const judged: JudgedWindow[] = [];
  const workloads = Math.ceil(plan.windows / WINDOWS_PER_WORKLOAD);
  for (const shape of plan.shapes)
    for (let i = 0; i < workloads; i++) {
      const left = plan.windows - i * WINDOWS_PER_WORKLOAD;
      judgeWorkload(plan, shape, i, Math.min(left, WINDOWS_PER_WORKLOAD), judged);
    }
  return judged;
}

function judgeWorkload(
  { sensors, periodsMs, seed }: SimulationPlan,
  shape: string,
  i: number,
  count: number,
  judged: JudgedWindow[],
): void {
  const workloadSeed = seed * 1000 + i;
  const workload = makeWorkload(shape, workloadSeed);
  const stretches = quietStretches(workload.curve, workload.endMs);
  const random = seededRandom(workloadSeed, 100);
  const windows = [
    ...windowsAnywhere(workload, stretches, count, random),
    ...windowsAroundLoads(workload, stretches, count, random),
  ];
  for (const kind of sensors)
    for (const periodMs of periodsMs) {
      // So that leaving out one sensor does not move the others.
      const stream = 10_000 * (SENSORS.indexOf(kind) + 1) + periodMs;
      const readings = readWorkload(workload, kind, periodMs, seededRandom(workloadSeed, stream));
      for (const window of windows) judged.push(judge(workload, readings, window));
    }
}
