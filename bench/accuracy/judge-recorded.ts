import type { PowerSample } from "../../src/energy/power-sample.ts";
import type { Sensor } from "../../src/energy/sensor.ts";
import { type Random, seededRandom } from "../../src/stats/seeded-random.ts";
import { askBoth, type Judged } from "./judge.ts";
import type { RecordedTrace } from "./recorded-traces.ts";
import { uniform } from "./workload.ts";

/** A judged window of a recording; its truth is itself read from a sensor. */
export interface JudgedRecording extends Judged {
  readonly startMs: number;
  readonly endMs: number;
}

/** The load of a recording, as its makers noted it, in ms since 1970. */
const LOADS: Readonly<Record<string, readonly [startMs: number, endMs: number]>> = {
  "nvidia-smi-rtx3090-driver535-step-250ms.csv": [1_688_840_857_595.627, 1_688_840_863_524.417],
};

const AVERAGE: Sensor = { averagingMs: 1000, updateMs: 100, kind: "average" };

/**
 * How old an `.instant` reading is: half of the 100 ms that it is the mean of, and on average half
 * of the 100 ms until it is renewed.
 */
const INSTANT_LAG_MS = 100;
/** No window within this of an end of the recording, in ms: a reading before, the lag after. */
const BEFORE_MS = 300;
const AFTER_MS = 1800;
const LONGEST_MS = 6000;
/** Around a load: where its quiet is looked for, from after the lag on, in ms. */
const QUIET_MS = 1200;
const SETTLE_MS = 300;

/**
 * Random windows of 1 to 6 s, estimated from `.average` alone.
 *
 * Their truth is the integral of `.instant` by trapezoids, moved by its lag. At 250 ms that is itself
 * off by up to a step of power times 125 ms at each edge.
 */
export function judgeInside(
  trace: RecordedTrace,
  count: number,
  seed: number,
): readonly JudgedRecording[] {
  const random = seededRandom(seed, 200);
  return Array.from({ length: count }, () => {
    const { startMs, endMs } = drawWindow(trace, random);
    const trueJ = trapezoidJ(trace.instant, startMs + INSTANT_LAG_MS, endMs + INSTANT_LAG_MS);
    return { startMs, endMs, trueJ, ...askBoth(trace.average, startMs, endMs, AVERAGE) };
  });
}

/**
 * The window of the whole load; nothing where it was not noted down.
 *
 * Its truth is the pulse area of `.instant`: what lies beyond the window is taken off at the power
 * that stood there, so that no reading has to fall on an edge.
 */
export function judgeLoad(trace: RecordedTrace): JudgedRecording | undefined {
  const load = LOADS[trace.file];
  if (load === undefined) return undefined;
  const [startMs, endMs] = [load[0] - trace.firstEpochMs, load[1] - trace.firstEpochMs];
  const [fromMs, toMs] = [startMs - QUIET_MS, endMs + SETTLE_MS + QUIET_MS];
  const beforeW = meanW(trace.instant, fromMs, startMs);
  const afterW = meanW(trace.instant, endMs + SETTLE_MS, toMs);
  const besideMj =
    beforeW * (startMs - fromMs + INSTANT_LAG_MS) + afterW * (toMs - endMs - INSTANT_LAG_MS);
  const trueJ = trapezoidJ(trace.instant, fromMs, toMs) - besideMj / 1000;
  return { startMs, endMs, trueJ, ...askBoth(trace.average, startMs, endMs, AVERAGE) };
}

function drawWindow(trace: RecordedTrace, random: Random): { startMs: number; endMs: number } {
  const lengthMs = uniform(random, 1000, LONGEST_MS);
  const lastMs = trace.average.at(-1)!.atMs;
  const startMs = uniform(random, BEFORE_MS, lastMs - AFTER_MS - lengthMs);
  return { startMs, endMs: startMs + lengthMs };
}

function meanW(samples: readonly PowerSample[], startMs: number, endMs: number): number {
  return trapezoidJ(samples, startMs, endMs) / ((endMs - startMs) / 1000);
}

/** With the power at both edges on the line between its two readings. */
function trapezoidJ(samples: readonly PowerSample[], startMs: number, endMs: number): number {
  let energyMj = 0;
  for (const [i, to] of samples.entries()) {
    const from = samples[i - 1];
    if (from === undefined) continue;
    const powerAtW = (atMs: number): number =>
      from.powerW + ((to.powerW - from.powerW) * (atMs - from.atMs)) / (to.atMs - from.atMs);
    const [fromMs, toMs] = [Math.max(from.atMs, startMs), Math.min(to.atMs, endMs)];
    if (toMs > fromMs) energyMj += ((powerAtW(fromMs) + powerAtW(toMs)) / 2) * (toMs - fromMs);
  }
  return energyMj / 1000;
}
