import type { ClockModel, ScenarioDevice } from "./scenario.ts";
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
  /** As printed, without unit. */
  readonly averageText: string;
  readonly instantText: string;
  readonly isCapped: boolean;
  /** Since the process started or, for a steps file, since its first step. */
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
      return { averageText: nowMs, instantText: nowMs, isCapped: false, cappedUs: 0 };
    },
  };
}

interface CurveSource {
  readonly beforeW: number;
  readonly steps?: readonly PowerStep[];
  readonly file?: StepFile;
  readonly noiseW?: number | undefined;
}

class CurveSignal implements PowerSignal {
  readonly isReadAtWrite = false;
  readonly #averaging: { windowMs: number; updateMs: number };
  readonly #instant: { windowMs: number; updateMs: number };
  readonly #limitW: number;
  readonly #noiseW: number;
  readonly #noiseSeed: number;
  readonly #file: StepFile | undefined;
  readonly #curve: PowerCurve;
  #steps: PowerStep[];
  #cappedMs = 0;
  #countedUntilMs: number | undefined;

  constructor(device: ScenarioDevice, { seed }: SignalOrigin, source: CurveSource) {
    const updateMs = device.updateMs ?? 100;
    this.#averaging = { windowMs: device.averagingMs ?? 1000, updateMs };
    this.#instant = { windowMs: device.instantMs ?? 100, updateMs };
    this.#limitW = device.powerLimitW ?? Number.POSITIVE_INFINITY;
    this.#noiseW = source.noiseW ?? 0;
    this.#noiseSeed = Math.imul(seed, 31) + device.index;
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
      averageText: this.#shownText(nowMs, this.#averaging),
      instantText: this.#shownText(nowMs, this.#instant),
      isCapped: powerAtW(this.#curve, nowMs) >= this.#limitW,
      cappedUs: Math.round(this.#cappedMs * 1000),
    };
  }

  #shownText(nowMs: number, window: { windowMs: number; updateMs: number }): string {
    const meanW = trailingMeanW(this.#curve, nowMs, window);
    const position = lastUpdate(nowMs, window.updateMs) * 7919 + window.windowMs;
    return Math.max(0, meanW + this.#noiseW * noiseAt(this.#noiseSeed, position)).toFixed(2);
  }

  #countCapped(nowMs: number): void {
    const fromMs = this.#countedUntilMs ?? Math.min(0, this.#steps[0]?.atMs ?? 0);
    this.#cappedMs += timeAtOrAboveMs(this.#curve, this.#limitW, fromMs, nowMs);
    this.#countedUntilMs = nowMs;
  }

  /** Keeps the curve as short as the longest window, so that days cost no memory. */
  #forgetBefore(nowMs: number): void {
    const { windowMs, updateMs } = this.#averaging;
    const keptMs = Math.max(windowMs, this.#instant.windowMs) + updateMs;
    const first = lastStepAt(this.#steps, nowMs - keptMs);
    if (first > 0) this.#steps.splice(0, first);
  }
}
