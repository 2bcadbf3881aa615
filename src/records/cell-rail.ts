import type { EnergyWindow } from "../energy/energy-window.ts";
import type { RailHead } from "../energy/rail-head.ts";
import { type Refusal, refusal } from "../energy/rail-refusal.ts";
import type { RailSampler } from "../rails/sampler.ts";
import type { RailFacts, RailWindow } from "../rails/source.ts";
import type { WindowPart } from "./steady-part.ts";

/** What the rail says of a cell. */
export interface CellRail {
  readonly head: RailHead;
  readonly facts: RailFacts | undefined;
  readonly window: RailWindow;
  /** The energy of a part of the window, from the same readings; absent without a rail. */
  readonly judge: ((part: WindowPart) => RailWindow) | undefined;
  readonly idle: EnergyWindow | undefined;
  readonly idleReasons: readonly Refusal[];
}

/** What is known of a run's rail before its cells. */
export interface RunRail {
  readonly sampler: RailSampler | undefined;
  /** Why there is no rail. */
  readonly absent: Refusal | undefined;
  readonly idle: EnergyWindow | undefined;
  readonly idleReasons: readonly Refusal[];
}

/** The energy of a cell's window, as the readings of the rail stand now. */
export function cellRail(
  { startMs, endMs }: WindowPart,
  { sampler, absent, idle, idleReasons }: RunRail,
): CellRail {
  const reason = absent ?? refusal("rail_unreadable", "the rail was not opened");
  return {
    head: sampler?.facts.head ?? "gpu_rail",
    facts: sampler?.facts,
    window: sampler?.judge(startMs, endMs) ?? {
      state: "refused",
      startMs,
      endMs,
      reasons: [reason],
    },
    judge: sampler && ((part) => sampler.judge(part.startMs, part.endMs)),
    idle,
    idleReasons,
  };
}
