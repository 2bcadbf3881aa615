import {
  type DeviceReadings,
  type DevicesEstimate,
  estimateDevices,
} from "../energy/estimate-devices.ts";
import type { EstimatedWindow } from "../energy/estimated-window.ts";
import { integrate } from "../energy/integrate.ts";
import { judgeSeries } from "../energy/judge-series.ts";
import type { PowerSample } from "../energy/power-sample.ts";
import { type Refusal, refusal } from "../energy/rail-refusal.ts";
import { sumDevices } from "../energy/sum-devices.ts";
import type { RailDevice, RailFacts, RailWindow } from "./source.ts";

/** One device's readings around a window, and why no more will come, where that is so. */
export interface DeviceSeries {
  readonly device: RailDevice;
  readonly samples: readonly PowerSample[];
  readonly stalled?: string | undefined;
  /** Readings up to this time may have been forgotten. */
  readonly droppedUntilMs: number;
}

/** What is known of the rail and of what is judged. */
type JudgeFacts = Pick<RailFacts, "periodMs" | "sensor" | "second" | "unmodelled"> & {
  readonly isWorking: boolean;
};

/** What a rail took in a window: the sum of its devices, or every reason why there is none. */
export function judgeWindow(
  series: readonly DeviceSeries[],
  startMs: number,
  endMs: number,
  facts: JudgeFacts,
): RailWindow {
  const reasons = merged([
    ...series.flatMap((one) => [...deviceReasons(one, startMs, endMs, facts)]),
    ...missingAmong(series, startMs, endMs),
    ...(facts.unmodelled === undefined ? [] : [refusal("rail_sensor_unknown", facts.unmodelled)]),
  ]);
  const window = sumDevices(
    series.map(({ samples }) => samples),
    startMs,
    endMs,
  );
  if (window === undefined || reasons.some(({ refuses }) => refuses === "energy"))
    return { state: "refused", startMs, endMs, reasons: energyReasons(reasons) };

  const found = reasons.some(({ refuses }) => refuses === "estimate")
    ? { byDevice: {}, reasons: [] }
    : estimateDevices(series.map(readingsOf), startMs, endMs, facts);
  return {
    state: "measured",
    startMs,
    endMs,
    ...window,
    ...sumsOf(found),
    byDevice: windowsByDevice(series, startMs, endMs, found.byDevice),
    reasons: merged([...reasons, ...found.reasons]),
  };
}

function readingsOf({ device, samples }: DeviceSeries): DeviceReadings {
  return { id: device.id, name: deviceLabel(device), samples };
}

function sumsOf({
  estimate,
  second,
}: DevicesEstimate): Pick<EstimatedWindow, "estimate" | "second"> {
  return {
    ...(estimate === undefined ? {} : { estimate }),
    ...(second === undefined ? {} : { second }),
  };
}

function windowsByDevice(
  series: readonly DeviceSeries[],
  startMs: number,
  endMs: number,
  estimates: DevicesEstimate["byDevice"],
): Readonly<Record<string, EstimatedWindow>> {
  const byDevice: Record<string, EstimatedWindow> = {};
  for (const { device, samples } of series) {
    const own = integrate(samples, startMs, endMs);
    const estimate = estimates[device.id];
    if (own) byDevice[device.id] = estimate === undefined ? own : { ...own, estimate };
  }
  return byDevice;
}

/** What a device is called in words for people. */
export function deviceLabel({ id, index, name }: RailDevice): string {
  const short = index === undefined ? id : `GPU ${index}`;
  return name === undefined ? short : `${short} (${name})`;
}

function deviceReasons(
  { device, samples, stalled, droppedUntilMs }: DeviceSeries,
  startMs: number,
  endMs: number,
  facts: JudgeFacts,
): readonly Refusal[] {
  const name = deviceLabel(device);
  if (device.isPartitioned)
    return [
      refusal(
        "rail_not_attributable",
        `${name} is split by MIG: its watts are those of the whole GPU, not of one instance`,
      ),
    ];
  if (droppedUntilMs >= startMs)
    return [
      refusal(
        "rail_gap",
        `${name}: the readings at the start of the window were forgotten; hold() the sampler before a window longer than its retention`,
      ),
    ];
  return judgeSeries(samples, startMs, endMs, { ...facts, name, stalled });
}

/** Devices without a reading, where others have some: the sum would be silently too small. */
function missingAmong(
  series: readonly DeviceSeries[],
  startMs: number,
  endMs: number,
): readonly Refusal[] {
  const missing = series.filter(({ samples }) => integrate(samples, startMs, endMs) === undefined);
  if (missing.length === 0 || missing.length === series.length) return [];
  const names = missing.map(({ device }) => deviceLabel(device)).join(", ");
  return [
    refusal(
      "rail_device_missing",
      `no reading from ${names}: the other devices' sum would be too small; leave a device out with --rail-devices if it does not serve`,
    ),
  ];
}

/** One refusal for each reason, with the details of all devices. */
function merged(reasons: readonly Refusal[]): readonly Refusal[] {
  const details = new Map<Refusal["reason"], string[]>();
  for (const { reason, detail } of reasons)
    details.set(reason, [...(details.get(reason) ?? []), detail]);
  return [...details].map(([reason, texts]) => refusal(reason, texts.join("; ")));
}

function energyReasons(reasons: readonly Refusal[]): readonly Refusal[] {
  const energy = reasons.filter(({ refuses }) => refuses === "energy");
  return energy.length > 0 ? energy : [refusal("rail_no_samples", "the rail has no device")];
}
