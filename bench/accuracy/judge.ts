import type { EnergyEstimate } from "../../src/energy/energy-estimate.ts";
import { type EstimateOptions, explainedEstimate } from "../../src/energy/estimate.ts";
import { integrate } from "../../src/energy/integrate.ts";
import type { PowerSample } from "../../src/energy/power-sample.ts";
import { type Sensor, settleMs } from "../../src/energy/sensor.ts";
import { energyJ } from "../../src/engine/nvidia-smi/step-power.ts";
import type { Readings } from "./sensors.ts";
import type { AskedWindow } from "./windows.ts";
import type { Workload } from "./workload.ts";

/** What a window truly took, and what was said of it. */
export interface Judged {
  readonly trueJ: number;
  readonly integralJ?: number;
  /** Absent where it was refused. */
  readonly estimate?: EnergyEstimate;
  readonly refusedFor?: string;
}

/** A window of a simulated workload, judged. */
export interface JudgedWindow extends Judged {
  readonly shape: string;
  readonly sensor: string;
  readonly periodMs: number;
  readonly window: AskedWindow;
}

/** How much of the past an estimate is shown; a run keeps all of it. */
const BEFORE_MS = 60_000;

/**
 * Asks for the energy of one window with the readings that a run has when it asks: those until the
 * settle time after the end is over.
 */
export function judge(workload: Workload, readings: Readings, window: AskedWindow): JudgedWindow {
  const { kind, periodMs } = readings;
  const { startMs, endMs } = window;
  const untilMs = endMs + settleMs(kind.sensor, periodMs);
  const known = (samples: readonly PowerSample[]): readonly PowerSample[] => {
    const from = indexAtOrAfter(samples, startMs - BEFORE_MS);
    return samples.slice(from, indexAtOrAfter(samples, untilMs) + 1);
  };
  const second = kind.second &&
    readings.second && { samples: known(readings.second), sensor: kind.second };
  return {
    shape: workload.shape,
    sensor: kind.name,
    periodMs,
    window,
    trueJ: energyJ(workload.curve, startMs, endMs),
    ...askBoth(known(readings.samples), startMs, endMs, kind.sensor, second),
  };
}

/** What the plain integral and the estimate say of a window. */
export function askBoth(
  samples: readonly PowerSample[],
  startMs: number,
  endMs: number,
  sensor: Sensor,
  second?: EstimateOptions["second"],
): Omit<Judged, "trueJ"> {
  const integralJ = integrate(samples, startMs, endMs)?.energyJ;
  const found = explainedEstimate(samples, startMs, endMs, sensor, second ? { second } : {});
  return {
    ...(integralJ === undefined ? {} : { integralJ }),
    ...("reason" in found ? { refusedFor: found.reason } : { estimate: found }),
  };
}

function indexAtOrAfter(samples: readonly PowerSample[], atMs: number): number {
  let [low, high] = [0, samples.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (samples[middle]!.atMs < atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
