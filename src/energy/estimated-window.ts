import type { EnergyEstimate } from "./energy-estimate.ts";
import type { EnergyWindow } from "./energy-window.ts";

/** What a rail took in one interval: the plain integral, and the estimate where there is one. */
export interface EstimatedWindow extends EnergyWindow {
  /** The energy that the window really took; absent where a reason refuses it. */
  readonly estimate?: EnergyEstimate;
  /** The same from the other column of the same readings alone, to hold against it. */
  readonly second?: SecondEstimate;
}

/** The energy of a window by another column of the same readings. */
export interface SecondEstimate {
  /** The column's own name, such as `power.draw.instant`. */
  readonly field: string;
  readonly estimate: EnergyEstimate;
}
