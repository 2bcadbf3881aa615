import { type AveragingVerdict, judgeAveraging } from "../energy/judge-averaging.ts";
import {
  type LoadTimes,
  type MeasuredAveraging,
  measureAveraging,
} from "../energy/measure-averaging.ts";
import { deviceLabel } from "./judge-window.ts";
import type { LogLine } from "./meter.ts";
import type { RailSampler } from "./sampler.ts";
import type { RailFacts } from "./source.ts";

/** What a step of load showed of a device's sensor, held against what is declared. */
export interface SensorCheck extends MeasuredAveraging {
  readonly device: string;
  readonly declaredMs: number;
  readonly verdict: Exclude<AveragingVerdict, "unclear">;
}

/** As far around a load as its readings can count, in ms. */
const AROUND_MS = 10_000;

/** The checks of one open rail: each device is looked at until a step has been clear. */
export class SensorWatch {
  readonly #done = new Set<string>();

  /** @returns of each device what became clear by this load. */
  look(sampler: RailSampler, load: LoadTimes): readonly SensorCheck[] {
    const { devices, sensor, second, unmodelled, periodMs } = sampler.facts;
    if (unmodelled !== undefined || sensor.kind === "counter") return [];
    return devices.flatMap(({ id }) => {
      if (this.#done.has(id)) return [];
      const around = sampler.readings(id, load.startMs - AROUND_MS, load.endMs + AROUND_MS);
      const measured = measureAveraging(around, { sensor, second: second?.sensor }, load);
      if (measured === undefined) return [];
      const verdict = judgeAveraging(measured, sensor, periodMs);
      if (verdict === "unclear") return [];
      this.#done.add(id);
      return [{ device: id, declaredMs: sensor.averagingMs, ...measured, verdict }];
    });
  }
}

/** What is said about a check: a warning where it is another averaging time than declared. */
export function sensorCheckLine(
  check: SensorCheck,
  { devices }: Pick<RailFacts, "devices">,
): LogLine {
  const device = devices.find(({ id }) => id === check.device) ?? { id: check.device };
  const { averagingMs, declaredMs, loMs, hiMs, verdict } = check;
  const name = deviceLabel(device);
  const declared = averagingWords(declaredMs);
  if (verdict === "agrees")
    return {
      level: "info",
      text: `${name}: the load shows an averaging time of ${loMs} to ${hiMs} ms: ${declared}, as declared`,
    };
  return {
    level: "warn",
    text: `${name}: the load shows an averaging time of about ${averagingWords(averagingMs)} (${loMs} to ${hiMs} ms), but ${declared} is declared for this sensor: the intervals of the energy from here on cover both; joulemark rails --probe measures it again`,
  };
}

/** An averaging time in words. */
export function averagingWords(averagingMs: number): string {
  return averagingMs >= 1000
    ? `${(averagingMs / 1000).toFixed(1)} s`
    : `${Math.round(averagingMs)} ms`;
}
