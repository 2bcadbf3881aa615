import {
  type NvidiaSmiOptions,
  openNvidiaSmi,
  type PowerSample,
  type RailEvent,
  type RailSampler,
} from "joulemark";
import { expect } from "vitest";
import type {
  Playback,
  Scenario,
  ScenarioDevice,
} from "../../../../src/engine/nvidia-smi/scenario.ts";
import { eventually } from "../../../support/eventually.ts";
import { gpu } from "../../../support/scenarios.ts";
import { installStandIn } from "../../../support/stand-in.ts";
import { BRAKE, CAP, capturePath, columnsOf, hasHeader, INSTANT } from "./captures.ts";

/** Undoes something at the end of one test; these tests run side by side, so each has its own. */
export type OnFinished = (undo: () => Promise<void>) => void;

/** A rail on a stand-in, and all that happened on it. */
export interface Played {
  readonly sampler: RailSampler;
  readonly events: readonly RailEvent[];
  readonly samples: () => readonly PowerSample[];
  readonly rejected: () => readonly string[];
}

/** What the sampler asks for besides the power that a capture is about. */
const ASIDE: readonly string[] = [CAP, BRAKE, INSTANT];

/**
 * A scenario that answers as the captured machine did.
 *
 * @param isOld - whether what the capture was not asked for is refused, as a driver refuses a field
 *   that it does not know; by default the flags and the instant power are `[N/A]` then, which takes
 *   fewer queries to find out.
 */
export function playing(
  file: string,
  play: Partial<Playback> = {},
  devices: readonly ScenarioDevice[] = [gpu(0)],
  isOld = false,
): Scenario {
  const names = columnsOf(file).map((name) => name.replace(/ \[.*\]$/, ""));
  const missing = isOld ? [] : ASIDE.filter((name) => !names.includes(name));
  const unasked = Object.fromEntries(missing.map((name) => [name, "[N/A]"]));
  return {
    devices: devices.map((device) => ({ ...device, cells: { ...unasked, ...device.cells } })),
    playback: {
      file: capturePath(file),
      ...(hasHeader(file) ? {} : { columns: names }),
      intervalMs: 20,
      ...play,
    },
  };
}

/** Every 50 ms, and with patience: several of these run on a machine that has other work. */
const OPTIONS: NvidiaSmiOptions = { periodMs: 50, settleMs: 0, startTimeoutMs: 15_000 };

export async function open(
  scenario: Scenario,
  onFinished: OnFinished,
  options: NvidiaSmiOptions = {},
): Promise<Played> {
  const standIn = await installStandIn(scenario);
  onFinished(() => standIn.remove());
  const events: RailEvent[] = [];
  const sampler = await openNvidiaSmi({
    path: standIn.path,
    ...OPTIONS,
    ...options,
    onEvent: (event) => events.push(event),
  });
  onFinished(async () => {
    await sampler.stop();
  });
  const reads = () => events.flatMap((event) => (event.kind === "read" ? [event] : []));
  return {
    sampler,
    events,
    samples: () => reads().flatMap(({ samples }) => samples),
    rejected: () => reads().flatMap(({ rejected }) => rejected),
  };
}

/** The message with which the rail of a stand-in does not open. */
export async function refusal(
  scenario: Scenario,
  onFinished: OnFinished,
  options: NvidiaSmiOptions = {},
): Promise<string> {
  const error = await open(scenario, onFinished, options).then(
    () => new Error("the rail opened"),
    (reason: Error) => reason,
  );
  expect(error).toMatchObject({ name: "RailUnreadableError", code: "rail_unreadable" });
  return error.message;
}

/** Waits for so many readings and rejected lines, and for the silence after the last reading. */
export async function played(rail: Played, readings: number, rejects = 0): Promise<void> {
  await eventually(`${readings} readings, ${rejects} rejected lines and silence`, () => {
    const lastReading = rail.events.findLastIndex(
      (event) => event.kind === "read" && event.samples.length > 0,
    );
    const lastStall = rail.events.findLastIndex(
      (event) => event.kind === "stalled" && event.device === undefined,
    );
    return (
      rail.samples().length >= readings &&
      rail.rejected().length >= rejects &&
      lastStall > lastReading
    );
  });
}
