/** Why a rail gives no figure for a window. Stable codes: they stand in records. */
export type RailReason =
  | "rail_unreadable"
  | "rail_not_local"
  | "rail_no_samples"
  | "rail_stalled"
  | "rail_gap"
  | "rail_device_missing"
  | "rail_frozen"
  | "rail_not_attributable"
  | "window_too_short"
  | "rail_foreign_load"
  | "rail_unresponsive"
  | "rail_not_bracketed"
  | "rail_sensor_unknown"
  | "idle_absent"
  | "idle_not_quiet";

/** What a reason takes away: every energy figure, the estimate alone, or figures above idle alone. */
export type Refuses = "energy" | "estimate" | "above_idle";

/** One reason why a figure is absent, in a code for scripts and in words for people. */
export interface Refusal {
  readonly reason: RailReason;
  readonly refuses: Refuses;
  /** What was seen, with its numbers, and what to do about it where something can be done. */
  readonly detail: string;
}

const REFUSES: Readonly<Record<RailReason, Refuses>> = {
  rail_unreadable: "energy",
  rail_not_local: "energy",
  rail_no_samples: "energy",
  rail_stalled: "energy",
  rail_gap: "energy",
  rail_device_missing: "energy",
  rail_frozen: "energy",
  rail_not_attributable: "energy",
  window_too_short: "energy",
  rail_foreign_load: "energy",
  rail_unresponsive: "energy",
  rail_not_bracketed: "estimate",
  rail_sensor_unknown: "estimate",
  idle_absent: "above_idle",
  idle_not_quiet: "above_idle",
};

/** A refusal; what it takes away follows from its reason. */
export function refusal(reason: RailReason, detail: string): Refusal {
  return { reason, refuses: REFUSES[reason], detail };
}
