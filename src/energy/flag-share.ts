/** The shares of flags, as the fields of a window: a share that nobody reported has no field. */
export function flagShares(
  swPowerCapFrac: number | undefined,
  hwPowerBrakeFrac: number | undefined,
): { swPowerCapFrac?: number; hwPowerBrakeFrac?: number } {
  return {
    ...(swPowerCapFrac === undefined ? {} : { swPowerCapFrac }),
    ...(hwPowerBrakeFrac === undefined ? {} : { hwPowerBrakeFrac }),
  };
}

/** Share of the reports that are true, by count; `undefined` when there is no report. */
export function shareOfTrue(reports: readonly (boolean | undefined)[]): number | undefined {
  const known = reports.filter((report) => report !== undefined);
  return known.length === 0 ? undefined : known.filter(Boolean).length / known.length;
}
