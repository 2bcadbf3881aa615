import type { EnergyEstimate } from "../energy/energy-estimate.ts";
import type { EnergyWindow } from "../energy/energy-window.ts";
import type { PowerSample } from "../energy/power-sample.ts";
import type { RailHead } from "../energy/rail-head.ts";
import type { Refusal } from "../energy/rail-refusal.ts";
import type { SamplerCost } from "../energy/sampler-cost.ts";
import type { Sensor } from "../energy/sensor.ts";

/** One thing on a rail that is read by itself, such as one GPU. */
export interface RailDevice {
  /** The name that its readings carry: the uuid, or the index where there is no uuid. */
  readonly id: string;
  readonly index?: number;
  /** The product's name, where the source tells it. */
  readonly name?: string;
  readonly powerLimitW?: number;
  /** What its readings are multiplied with, from a calibration of this very card; absent: 1. */
  readonly gain?: number;
  /** The device is split among several users, so its watts are not one server's. */
  readonly isPartitioned?: boolean;
}

/** What is known of an open rail: what the joules are of, and what a reading stands for. */
export interface RailFacts {
  readonly source: string;
  readonly head: RailHead;
  readonly devices: readonly RailDevice[];
  readonly sensor: Sensor;
  /** What the sensor's figures rest on, in words. */
  readonly sensorBasis: string;
  /** Why a reading is no plain mean, so that no estimate can be (`rail_sensor_unknown`). */
  readonly unmodelled?: string;
  /** The other power column of the same readings, where there is one. */
  readonly second?: { readonly field: string; readonly sensor: Sensor };
  /** The sample period that was asked for, in ms. */
  readonly periodMs: number;
  /** The columns that are read, in order, by the source's own names. */
  readonly fields: readonly string[];
  readonly driverVersion?: string;
  /** What is inside the number, and what is not, in words. */
  readonly covers: string;
  readonly excludes: string;
  readonly warnings: readonly string[];
  /** Ids of the devices that gave no reading when the rail was probed. */
  readonly silentDevices: readonly string[];
}

/** What happens on a rail while it is read; the log of a run is made of these. */
export type RailEvent =
  | { readonly kind: "started"; readonly atMs: number; readonly pid: number }
  | {
      /** Lines that came in one read. */
      readonly kind: "read";
      readonly atMs: number;
      readonly samples: readonly PowerSample[];
      readonly rejected: readonly string[];
    }
  | {
      /** A device, or the whole source when none is named, gave no reading for too long. */
      readonly kind: "stalled";
      readonly atMs: number;
      readonly device?: string;
      readonly why: string;
    }
  | {
      /** The source ended by itself: no reading will come any more. */
      readonly kind: "ended";
      readonly atMs: number;
      readonly why: string;
    }
  | { readonly kind: "stopped"; readonly atMs: number; readonly cost: SamplerCost };

/** Where events come from. */
export interface RailFeed {
  /** Hands over at once what has arrived but not been delivered yet. */
  drain(): void;
  /** Ends the source and everything it started. Waits a bounded time, never for ever. */
  stop(): Promise<SamplerCost>;
}

/** The energy of a rail in a window, or why there is none. */
export type RailWindow = MeasuredRailWindow | RefusedRailWindow;

export interface MeasuredRailWindow extends EnergyWindow {
  readonly state: "measured";
  readonly startMs: number;
  readonly endMs: number;
  /** The same for each device, by its id. */
  readonly byDevice: Readonly<Record<string, EnergyWindow>>;
  /** The energy that the window really took; absent where a reason refuses it. */
  readonly estimate?: EnergyEstimate;
  /** The same from the other power column alone, to hold against it. */
  readonly second?: { readonly field: string; readonly estimate: EnergyEstimate };
  /** What is refused although the plain integral stands. */
  readonly reasons: readonly Refusal[];
}

export interface RefusedRailWindow {
  readonly state: "refused";
  readonly startMs: number;
  readonly endMs: number;
  /** At least one, of those that refuse every energy figure. */
  readonly reasons: readonly Refusal[];
}
