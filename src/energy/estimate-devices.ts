import type { EnergyEstimate } from "./energy-estimate.ts";
import { explainedEstimate } from "./estimate.ts";
import type { SecondEstimate } from "./estimated-window.ts";
import type { PowerSample } from "./power-sample.ts";
import { type Refusal, refusal } from "./rail-refusal.ts";
import type { Sensor } from "./sensor.ts";
import { sumEstimates } from "./sum-estimates.ts";

/** One device's readings in time order, with those around the window, and what it is called. */
export interface DeviceReadings {
  readonly id: string;
  /** What the device is called in the words for people. */
  readonly name: string;
  readonly samples: readonly PowerSample[];
}

/** What is known of the columns that are read, of every device the same. */
export interface ColumnFacts {
  readonly sensor: Sensor;
  readonly second?: { readonly field: string; readonly sensor: Sensor };
}

/** The energy that several devices really took together, or why that is not known. */
export interface DevicesEstimate {
  readonly estimate?: EnergyEstimate;
  readonly second?: SecondEstimate;
  /** Of each device by its id, where it has one, also when the sum has none. */
  readonly byDevice: Readonly<Record<string, EnergyEstimate>>;
  /** Of those that refuse the estimate. */
  readonly reasons: readonly Refusal[];
}

/**
 * The estimate of a window over all devices: each is estimated by itself, the joules add.
 *
 * One device without an estimate leaves the sum without one: a smaller sum would look like a saving.
 */
export function estimateDevices(
  series: readonly DeviceReadings[],
  startMs: number,
  endMs: number,
  facts: ColumnFacts,
): DevicesEstimate {
  const byDevice: Record<string, EnergyEstimate> = {};
  const seconds: EnergyEstimate[] = [];
  const reasons: Refusal[] = [];
  for (const { id, name, samples } of series) {
    const other = secondColumn(samples, facts.second);
    const found = headlineEstimate(samples, other, startMs, endMs, facts);
    if ("reason" in found) reasons.push(ofEstimate(found, name));
    else byDevice[id] = found;
    const alone = other && explainedEstimate(other.samples, startMs, endMs, other.sensor);
    if (alone && !("reason" in alone)) seconds.push(alone);
  }
  const estimate = reasons.length === 0 ? sumEstimates(Object.values(byDevice)) : undefined;
  const second = seconds.length === series.length ? sumEstimates(seconds) : undefined;
  return {
    ...(estimate === undefined ? {} : { estimate }),
    ...(second === undefined || facts.second === undefined
      ? {}
      : { second: { field: facts.second.field, estimate: second } }),
    byDevice,
    reasons,
  };
}

interface Column {
  readonly samples: readonly PowerSample[];
  readonly sensor: Sensor;
}

/** The estimate that is shown first: by the main column, whose edges the second one sharpens. */
function headlineEstimate(
  samples: readonly PowerSample[],
  second: Column | undefined,
  startMs: number,
  endMs: number,
  { sensor }: ColumnFacts,
): EnergyEstimate | Refusal {
  return explainedEstimate(samples, startMs, endMs, sensor, second === undefined ? {} : { second });
}

/** The readings of the second column as if there were no other; absent where none has it. */
function secondColumn(
  samples: readonly PowerSample[],
  second: ColumnFacts["second"],
): Column | undefined {
  if (second === undefined) return undefined;
  const { sensor } = second;
  const own =
    sensor.kind === "counter"
      ? samples.filter(({ counterJ }) => counterJ !== undefined)
      : samples.flatMap(({ atMs, instantW }) =>
          instantW === undefined ? [] : [{ atMs, powerW: instantW }],
        );
  return own.length === 0 ? undefined : { samples: own, sensor };
}

/** Whatever the readings lack for an estimate, their plain integral stands. */
function ofEstimate({ reason, refuses, detail }: Refusal, name: string): Refusal {
  const words = detail.startsWith(name) ? detail : `${name}: ${detail}`;
  return refusal(refuses === "estimate" ? reason : "rail_not_bracketed", words);
}
