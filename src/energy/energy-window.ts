/** What a rail took in one interval: the plain integral of its readings. */
export interface EnergyWindow {
  /** Length of the interval, in seconds. */
  readonly windowS: number;
  /** Readings inside it, of all devices. */
  readonly samples: number;
  readonly energyJ: number;
  /** `energyJ / windowS`. */
  readonly meanPowerW: number;
  /** Largest reading; of several devices, the largest sum at one time. */
  readonly maxPowerW: number;
  /** Share of the readings that saw the software power cap, 0 to 1; absent when none reported it. */
  readonly swPowerCapFrac?: number;
  /** Share of the readings that saw the hardware power brake; absent when none reported it. */
  readonly hwPowerBrakeFrac?: number;
}
