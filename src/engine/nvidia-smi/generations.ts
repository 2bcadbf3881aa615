import type { GpuGeneration } from "../profiles/engine-profile.ts";
import { NOT_AVAILABLE } from "./device-cells.ts";
import type { Scenario, ScenarioDevice } from "./scenario.ts";

/** How the power sensor of a GPU behaves. */
export type SensorPreset = Required<
  Pick<ScenarioDevice, "averagingMs" | "powerDrawMs" | "instantMs" | "updateMs">
> &
  Pick<ScenarioDevice, "cells">;

const NO_AVERAGE = { "power.draw.average": NOT_AVAILABLE };

/** A second of averaging in `power.draw` too, as drivers from 535 on do it. */
const SINCE_AMPERE: SensorPreset = {
  averagingMs: 1000,
  powerDrawMs: 1000,
  instantMs: 100,
  updateMs: 100,
};

/**
 * Sensors by generation.
 *
 * Windows and updates are those that were measured on real cards (arXiv 2312.02741 and its result
 * sheet). `hopper` and `ga100` look at only 25 ms of each 100 for `.instant`. `ampere` is GA10x,
 * the consumer kind. The one of `jetson` is MADE UP: there `nvidia-smi` answers no power query at
 * all; this one answers as an integrated GPU of another kind (GB10) does, without limits.
 */
export const SENSOR_BY_GENERATION: Readonly<Record<GpuGeneration, SensorPreset>> = {
  hopper: { ...SINCE_AMPERE, instantMs: 25 },
  ada: SINCE_AMPERE,
  ampere: SINCE_AMPERE,
  ga100: { ...SINCE_AMPERE, powerDrawMs: 25, instantMs: 25, cells: NO_AVERAGE },
  turing: { ...SINCE_AMPERE, powerDrawMs: 100, cells: NO_AVERAGE },
  volta: { ...SINCE_AMPERE, powerDrawMs: 10, instantMs: 10, updateMs: 20, cells: NO_AVERAGE },
  jetson: {
    ...SINCE_AMPERE,
    cells: { "power.limit": NOT_AVAILABLE, "enforced.power.limit": NOT_AVAILABLE },
  },
};

/**
 * Drivers by age: what each calls itself and which fields it refuses.
 *
 * `old` has `power.draw` alone and knows the flags as `clocks_throttle_reasons.*` only.
 */
export const DRIVER_BY_AGE: Readonly<
  Record<"new" | "old", Pick<Scenario, "driverVersion" | "refusedFields">>
> = {
  new: { driverVersion: "590.48.01" },
  old: {
    driverVersion: "525.85.12",
    refusedFields: [
      "power.draw.average",
      "power.draw.instant",
      "clocks_event_reasons*",
      "clocks_throttle_reasons_counters*",
    ],
  },
};
