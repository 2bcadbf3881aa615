import { samplesInside } from "../energy/integrate.ts";
import { type IdleLevel, judgeResponse } from "../energy/judge-response.ts";
import { type Refusal, refusal } from "../energy/rail-refusal.ts";
import { type DeviceSeries, deviceLabel } from "./judge-window.ts";
import type { RailFacts } from "./source.ts";

/** What each device draws at idle, by its id; empty without a quiet baseline. */
export type IdleLevels = ReadonlyMap<string, IdleLevel>;

/** What speaks against a window's figures, and what must be known beside them. */
export interface WindowFindings {
  readonly reasons: readonly Refusal[];
  readonly warnings: readonly string[];
}

const NOTHING_FOUND: WindowFindings = { reasons: [], warnings: [] };

/**
 * Whether the devices of a rail answered to a window in which the server worked.
 *
 * Where none did, the watts are not this server's; where some did not, they are idle neighbours.
 */
export function loadResponse(
  series: readonly DeviceSeries[],
  levels: IdleLevels,
  startMs: number,
  endMs: number,
  { sensor }: Pick<RailFacts, "sensor">,
): WindowFindings {
  const still: string[] = [];
  let hasMoved = false;
  for (const { device, samples } of series) {
    const level = levels.get(device.id);
    const inside = samplesInside(samples, startMs, endMs);
    const response = level && judgeResponse(inside, endMs - startMs, level, sensor);
    if (response === "moved") hasMoved = true;
    if (level && response === "still")
      still.push(`${deviceLabel(device)} stayed at its idle ${level.meanW.toFixed(1)} W`);
  }
  if (still.length === 0) return NOTHING_FOUND;
  const seen = still.join(", ");
  if (hasMoved)
    return {
      reasons: [],
      warnings: [
        `${seen} while the server worked, and is counted: name the GPUs that serve with --rail-devices`,
      ],
    };
  // One that could not be judged may be the one that serves.
  if (still.length < series.length) return NOTHING_FOUND;
  return {
    reasons: [
      refusal(
        "rail_unresponsive",
        `${seen} while the server gave tokens, so the watts are not this server's: its port may be a tunnel to another machine (then --rail-local no), its container may have other GPUs (name them with --rail-devices), or the model runs on the CPU`,
      ),
    ],
    warnings: [],
  };
}
