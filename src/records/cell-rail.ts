import type { EnergyWindow } from "../energy/energy-window.ts";
import type { RailHead } from "../energy/rail-head.ts";
import { type Refusal, refusal } from "../energy/rail-refusal.ts";
import type { IdleLevels, WindowFindings } from "../rails/load-response.ts";
import type { RailSampler } from "../rails/sampler.ts";
import type { RailFacts, RailWindow } from "../rails/source.ts";
import type { CellRequests } from "./cell-accumulator.ts";
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
  readonly warnings: readonly string[];
}

/** What is known of a run's rail before its cells. */
export interface RunRail {
  readonly sampler: RailSampler | undefined;
  /** Why there is no rail. */
  readonly absent: Refusal | undefined;
  readonly idle: EnergyWindow | undefined;
  /** What each device draws when nothing is in flight; absent without a quiet baseline. */
  readonly idleLevels?: IdleLevels | undefined;
  readonly idleReasons: readonly Refusal[];
}

/**
 * The energy of a cell's window, as the readings of the rail stand now.
 *
 * @param seen - what was found around the window besides its readings, such as foreign work.
 */
export function cellRail(
  { end, tokens, counts }: CellRequests,
  { sampler, absent, idle, idleReasons, idleLevels }: RunRail,
  seen: Partial<WindowFindings> = {},
): CellRail {
  const { startMs, endMs } = end;
  const { output } = tokens.whole;
  const hasWorked = output === undefined ? counts.ok > 0 : output > 0;
  const response =
    idleLevels && hasWorked ? sampler?.loadResponse(idleLevels, startMs, endMs) : undefined;
  const reasons = [...(seen.reasons ?? []), ...(response?.reasons ?? [])];
  const judge =
    sampler && ((part: WindowPart) => refusedFor(reasons, sampler.judge(part.startMs, part.endMs)));
  return {
    head: sampler?.facts.head ?? "gpu_rail",
    facts: sampler?.facts,
    window: judge?.({ startMs, endMs }) ?? {
      state: "refused",
      startMs,
      endMs,
      reasons: [absent ?? refusal("rail_unreadable", "the rail was not opened")],
    },
    judge,
    idle,
    idleReasons,
    warnings: [...(seen.warnings ?? []), ...(response?.warnings ?? [])],
  };
}

/** Watts that are not the server's alone are no figure of it, whatever part of the window it is. */
function refusedFor(reasons: readonly Refusal[], window: RailWindow): RailWindow {
  if (reasons.length === 0) return window;
  const { startMs, endMs } = window;
  const own = window.reasons.filter(({ refuses }) => refuses === "energy");
  return { state: "refused", startMs, endMs, reasons: [...own, ...reasons] };
}
