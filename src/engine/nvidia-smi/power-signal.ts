import { tenantEnergyJ } from "../power/tenant.ts";
import type { ClockModel, ScenarioDevice, ScenarioTenant } from "./scenario.ts";
import { noiseAt } from "./seeded-random.ts";
import { StepFile } from "./step-file.ts";
import {
  lastStepAt,
  lastUpdate,
  type PowerCurve,
  type PowerStep,
  powerAtW,
  timeAtOrAboveMs,
  trailingMeanW,
} from "./step-power.ts";

/** What the power sensor of one GPU shows at one instant. */
export interface PowerReading {
  /** As printed, without unit: `power.draw`, `.average` and `.instant`. */
  readonly drawText: string;
  readonly averageText: string;
  readonly instantText: string;
  readonly isCapped: boolean;
  /** Since the process started or, for a steps file, since its first step or as that says. */
  readonly cappedUs: number;
}

/** The sensor of one GPU. */
export interface PowerSignal {
  /** Readings are asked for in time order. */
  readAt(nowMs: number): PowerReading;
  /** The reading says when it was taken, so it has to be taken at the very write. */
  readonly isReadAtWrite: boolean;
}

export interface SignalOrigin {
  /** The instant, on the machine's monotonic clock, at which `nowMs` is 0. */
  readonly originNs: bigint;
  readonly seed: number;
}

/** A sensor that shows the device's power model. */
export function openPowerSignal(device: ScenarioDevice, origin: SignalOrigin): PowerSignal {
  const { power } = device;
  switch (power.kind) {
    case "clock":
      return clockSignal(power);
    case "constant":
      return new CurveSignal(device, origin, { beforeW: power.powerW });
    case "steps":
      return new CurveSignal(device, origin, {
        beforeW: power.steps[0]!.powerW,
        steps: power.steps,
        noiseW: power.noiseW,
      });
    case "steps-file":
      return new CurveSignal(device, origin, {
        beforeW: power.idleW,
        file: new StepFile(power.path, origin.originNs),
        noiseW: power.noiseW,
      });
  }
}

function clockSignal({ originNs }: ClockModel): PowerSignal {
  const origin = BigInt(originNs);
  return {
    isReadAtWrite: true,
    readAt() {
      const nowMs = (Number(process.hrtime.bigint() - origin) / 1e6).toFixed(6);
      return {
        drawText: nowMs,
        averageText: nowMs,
        instantText: nowMs,
        isCapped: false,
        cappedUs: 0,
      };
    },
  };
}

interface CurveSource {
  readonly beforeW: number;
  readonly steps?: readonly PowerStep[];
  readonly file?: StepFile;
  readonly noiseW?: number | undefined;
}

/** What a sensor shows is renewed every `updateMs` with the mean of the `windowMs` before. */
interface Sensor {
  readonly windowMs: number;
  readonly updateMs: number;
}

class CurveSignal implements PowerSignal {
  readonly isReadAtWrite = false;
  readonly #draw: Sensor;
  readonly #average: Sensor;
  readonly #instant: Sensor;
  readonly #quantumW: number;
  readonly #limitW: number;
  readonly #noiseW: number;
  readonly #noiseSeed: number;
  readonly #originNs: bigint;
  readonly #tenants: readonly ScenarioTenant[];
  readonly #file: StepFile | undefined;
  readonly #curve: PowerCurve;
  #steps: PowerStep[];
  #cappedMs = 0;
  #countedUntilMs: number | undefined;

  constructor(device: ScenarioDevice, { seed, originNs }: SignalOrigin, source: CurveSource) {
    const { updateMs = 100, averagingMs = 1000 } = device;
    this.#draw = { windowMs: device.powerDrawMs ?? averagingMs, updateMs };
    this.#average = { windowMs: averagingMs, updateMs };
    this.#instant = { windowMs: device.instantMs ?? 100, updateMs };
    this.#quantumW = device.quantumW ?? 0.01;
    this.#limitW = device.powerLimitW ?? Number.POSITIVE_INFINITY;
    this.#noiseW = source.noiseW ?? 0;
    this.#noiseSeed = Math.imul(seed, 31) + device.index;
    this.#originNs = originNs;
    this.#tenants = device.tenants ?? [];
    this.#file = source.file;
    this.#steps = [...(source.steps ?? [])];
    this.#curve = { beforeW: source.beforeW, steps: this.#steps };
  }

  readAt(nowMs: number): PowerReading {
    for (const step of this.#file?.readOn() ?? []) {
      this.#steps.splice(lastStepAt(this.#steps, step.atMs) + 1, 0, step);
    }
    this.#countCapped(nowMs);
    this.#forgetBefore(nowMs);
    return {
      drawText: this.#shownText(nowMs, this.#draw),
      averageText: this.#shownText(nowMs, this.#average),
      instantText: this.#shownText(nowMs, this.#instant),
      isCapped: powerAtW(this.#curve, nowMs) >= this.#limitW,
      cappedUs: Math.round(this.#cappedMs * 1000),
    };
  }

  #shownText(nowMs: number, sensor: Sensor): string {
    const update = lastUpdate(nowMs, sensor.updateMs);
    const noiseW = this.#noiseW * noiseAt(this.#noiseSeed, update * 7919 + sensor.windowMs);
    const meanW = trailingMeanW(this.#curve, nowMs, sensor);
    const shownW = Math.max(0, meanW + this.#tenantsW(update, sensor) + noiseW);
    return (Math.round(shownW / this.#quantumW) * this.#quantumW).toFixed(2);
  }

  #tenantsW(update: number, { windowMs, updateMs }: Sensor): number {
    const endNs = BigInt(Math.round(update * updateMs * 1e6)) + this.#originNs;
    return this.#tenants.reduce((sumW, { load, originNs }) => {
      const untilNs = Number(endNs - BigInt(originNs));
      return sumW + (tenantEnergyJ(load, untilNs - windowMs * 1e6, untilNs) / windowMs) * 1000;
    }, 0);
  }

  #countCapped(nowMs: number): void {
    const last = this.#steps[lastStepAt(this.#steps, nowMs)];
    if (last?.cappedUs !== undefined) {
      this.#cappedMs = last.cappedUs / 1000;
      this.#countedUntilMs = last.atMs;
    }
    const fromMs = this.#countedUntilMs ?? Math.min(0, this.#steps[0]?.atMs ?? 0);
    this.#cappedMs += timeAtOrAboveMs(this.#curve, this.#limitW, fromMs, nowMs);
    this.#countedUntilMs = nowMs;
  }

  /** Keeps the curve as short as the longest window, so that days cost no memory. */
  #forgetBefore(nowMs: number): void {
    const windowsMs = [this.#draw, this.#average, this.#instant].map(({ windowMs }) => windowMs);
    const keptMs = Math.max(...windowsMs) + this.#average.updateMs;
    const first = lastStepAt(this.#steps, nowMs - keptMs);
    if (first > 0) this.#steps.splice(0, first);
  }
}
