import { JoulemarkError } from "../errors.ts";
import type { RailGain } from "./rail-gain.ts";
import type { RailEvent } from "./source.ts";

export interface MeterOptions {
  /** Which rail to read; default `auto`, the first one that can be read. */
  readonly rail?: RailName;
  /** Sample period in whole ms; default 250. */
  readonly periodMs?: number;
  /** Which GPUs, by index or uuid; default those that serve, where that can be found out. */
  readonly devices?: readonly string[];
  /** What the readings of calibrated cards are multiplied with; default nothing. */
  readonly gain?: RailGain;
  /** The nvidia-smi program; default the one in PATH. */
  readonly nvidiaSmiPath?: string;
  /**
   * Quiet time before the baseline, and wait after a window, in ms; default what the sensor needs.
   * Less than that widens the intervals of estimates, and is warned of.
   */
  readonly settleMs?: number;
  /** Length of the idle baseline in ms, 0 for none; default 2000, longer for a slow sensor or period. */
  readonly idleMs?: number;
  /** Overrides the finding whether the target runs on this machine. */
  readonly isLocal?: boolean;
  /** How long nvidia-smi may take to answer, and then to give its first reading; default 3000 ms. */
  readonly startTimeoutMs?: number;
  /** Told of everything that happens on the rail, in order. It must not throw. */
  readonly onEvent?: (event: RailEvent) => void;
}

/** The rails that can be asked for. */
export const RAIL_NAMES = ["auto", "nvidia-smi", "none"] as const;

export type RailName = (typeof RAIL_NAMES)[number];

/** @throws {JoulemarkError} `bad_option` that names what cannot be, and what would be right. */
export function checkMeterOptions({ rail = "auto", idleMs = 0 }: MeterOptions): void {
  if (!RAIL_NAMES.includes(rail))
    throw new JoulemarkError(
      "bad_option",
      `there is no rail “${rail}”: give ${RAIL_NAMES.join(", ")}`,
    );
  if (!(idleMs >= 0 && Number.isFinite(idleMs)))
    throw new JoulemarkError(
      "bad_option",
      `an idle baseline of ${idleMs} ms cannot be: give 0 or more`,
    );
}
