import { type AveragingVerdict, judgeAveraging } from "../energy/judge-averaging.ts";
import {
  type LoadTimes,
  type MeasuredAveraging,
  measureAveraging,
} from "../energy/measure-averaging.ts";
import { observedUpdateMs } from "../energy/observed-update.ts";
import type { PowerSample } from "../energy/power-sample.ts";
import type { Sensor } from "../energy/sensor.ts";
import type { RailSampler } from "./sampler.ts";
import type { RailDevice, RailFacts } from "./source.ts";

/** What a probe found out about the sensors of a rail. */
export interface SensorProbe {
  readonly facts: RailFacts;
  readonly devices: readonly DeviceProbe[];
}

export interface DeviceProbe {
  readonly device: RailDevice;
  /** One for each power column. */
  readonly columns: readonly ColumnProbe[];
}

export interface ColumnProbe {
  readonly field: string;
  readonly declared: Sensor;
  /** Absent where there was no clear step. */
  readonly measured?: MeasuredAveraging;
  /** How often the column changed, in ms; absent where that was too rarely or too often to tell. */
  readonly updateMs?: number;
  readonly verdict: AveragingVerdict | "no_step";
}

/** What the readings from `fromMs` on show of each column of each device. */
export function readSensors(
  sampler: RailSampler,
  fromMs: number,
  load?: LoadTimes,
): readonly DeviceProbe[] {
  return sampler.facts.devices.map((device) => {
    const samples = sampler.readings(device.id, fromMs, Number.POSITIVE_INFINITY);
    return { device, columns: readColumns(samples, sampler.facts, load) };
  });
}

/** Whether a column of a device tells whether its declared averaging time is right. */
export function isConclusive({ columns }: DeviceProbe): boolean {
  return columns.some(({ verdict }) => verdict === "agrees" || verdict === "differs");
}

/** Whether there was any step to measure by. */
export function hasStep({ columns }: DeviceProbe): boolean {
  return columns.some(({ measured }) => measured !== undefined);
}

function readColumns(
  samples: readonly PowerSample[],
  { fields, sensor, second, periodMs }: RailFacts,
  load: LoadTimes | undefined,
): readonly ColumnProbe[] {
  const measured = measureAveraging(samples, { sensor, second: second?.sensor }, load);
  const main = column(fields[0] ?? "", sensor, measured, periodMs);
  const update = observedUpdateMs(samples, ({ powerW }) => powerW);
  const first = { ...main, ...(update === undefined ? {} : { updateMs: update }) };
  if (second === undefined) return [first];
  const instants = samples.flatMap(({ atMs, instantW }) =>
    instantW === undefined ? [] : [{ atMs, powerW: instantW }],
  );
  const own = measureAveraging(instants, { sensor: second.sensor }, load);
  const other = column(second.field, second.sensor, own, periodMs);
  const otherUpdate = observedUpdateMs(instants, ({ powerW }) => powerW);
  return [first, { ...other, ...(otherUpdate === undefined ? {} : { updateMs: otherUpdate }) }];
}

function column(
  field: string,
  declared: Sensor,
  measured: MeasuredAveraging | undefined,
  periodMs: number,
): ColumnProbe {
  if (measured === undefined) return { field, declared, verdict: "no_step" };
  return { field, declared, measured, verdict: judgeAveraging(measured, declared, periodMs) };
}
