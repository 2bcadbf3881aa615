import {
  type MeasuredRailWindow,
  type NvidiaSmiOptions,
  openNvidiaSmi,
  type PowerSample,
  type RailEvent,
  type RailSampler,
  type RailWindow,
} from "joulemark";
import { afterEach, expect } from "vitest";
import type { Scenario } from "../../src/engine/nvidia-smi/scenario.ts";
import { installStandIn, type StandIn } from "./stand-in.ts";

/** Undone after each test, the last one first. */
export const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A rail that is open until the test ends, and all that happened on it. */
export interface Opened {
  readonly sampler: RailSampler;
  readonly events: readonly RailEvent[];
  readonly samples: () => readonly PowerSample[];
  readonly pid: () => number;
  readonly standIn: StandIn;
}

/** Opens the rail of a stand-in. */
export async function openRail(
  scenario: Scenario,
  options: NvidiaSmiOptions = {},
): Promise<Opened> {
  const standIn = await installStandIn(scenario);
  cleanups.push(() => standIn.remove());
  const events: RailEvent[] = [];
  const sampler = await openNvidiaSmi({
    path: standIn.path,
    periodMs: 50,
    settleMs: 0,
    ...options,
    onEvent: (event) => events.push(event),
  });
  cleanups.push(() => sampler.stop());
  return {
    sampler,
    events,
    standIn,
    samples: () => events.flatMap((event) => (event.kind === "read" ? event.samples : [])),
    pid: () => events.find((event) => event.kind === "started")!.pid,
  };
}

/** The message with which the rail of a stand-in does not open. */
export async function refusalOf(
  scenario: Scenario,
  options: NvidiaSmiOptions = {},
): Promise<string> {
  const standIn = await installStandIn(scenario);
  cleanups.push(() => standIn.remove());
  const opening = openNvidiaSmi({ path: standIn.path, periodMs: 50, ...options });
  const error = await opening.then(
    async (sampler) => {
      await sampler.stop();
      throw new Error("the rail opened");
    },
    (reason: Error) => reason,
  );
  expect(error).toMatchObject({ name: "RailUnreadableError", code: "rail_unreadable" });
  return error.message;
}

/** The window, which must have a figure. */
export function measured(window: RailWindow): MeasuredRailWindow {
  expect(window).toMatchObject({ state: "measured" });
  return window as MeasuredRailWindow;
}

/** Codes of a window's refusals. */
export const reasonsOf = (window: RailWindow): string[] =>
  window.reasons.map(({ reason }) => reason);
