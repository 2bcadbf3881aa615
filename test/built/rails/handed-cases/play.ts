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
import { capturePath, columnsOf, hasHeader } from "./captures.ts";

/** Undoes something at the end of one test; these tests run side by side, so each has its own. */
export type OnFinished = (undo: () => Promise<unknown>) => void;

/** A rail on a stand-in, and all that happened on it. */
export interface Played {
  readonly sampler: RailSampler;
  readonly events: readonly RailEvent[];
  readonly samples: () => readonly PowerSample[];
  readonly rejected: () => readonly string[];
}

/** A scenario that answers as the captured machine did. */
export function playing(
  file: string,
  play: Partial<Playback> = {},
  devices: readonly ScenarioDevice[] = [gpu(0)],
): Scenario {
  const columns = hasHeader(file) ? {} : { columns: columnsOf(file) };
  return { devices, playback: { file: capturePath(file), ...columns, intervalMs: 20, ...play } };
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
  onFinished(() => sampler.stop());
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

/** Waits for so many readings, and then for the silence that follows the last captured row. */
export async function played({ events, samples }: Played, count: number): Promise<void> {
  await eventually(`${count} readings and silence`, () => {
    const lastRead = events.findLastIndex(({ kind }) => kind === "read");
    const stalled = events.findLastIndex(
      (event) => event.kind === "stalled" && event.device === undefined,
    );
    return samples().length >= count && stalled > lastRead;
  });
}
