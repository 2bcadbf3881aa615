/** What another program draws on a GPU, on top of whatever else the GPU does. */
export type TenantLoad =
  | { readonly kind: "constant"; readonly powerW: number }
  | {
      /** Every `periodMs`, `highW` for `highMs` and then `lowW`; a period begins at time 0. */
      readonly kind: "square";
      readonly lowW: number;
      readonly highW: number;
      readonly periodMs: number;
      readonly highMs: number;
    };

/** Exact joules of an interval, which may begin before time 0; the wave has always been there. */
export function tenantEnergyJ(load: TenantLoad, startNs: number, endNs: number): number {
  if (load.kind === "constant") return (load.powerW * (endNs - startNs)) / 1e9;
  const { lowW, highW } = load;
  const highNs = highUntilNs(load, endNs) - highUntilNs(load, startNs);
  return (lowW * (endNs - startNs - highNs) + highW * highNs) / 1e9;
}

/** How long the wave has been high since time 0; negative before it. */
function highUntilNs(load: Extract<TenantLoad, { kind: "square" }>, atNs: number): number {
  const periodNs = load.periodMs * 1e6;
  const highNs = Math.min(load.highMs, load.periodMs) * 1e6;
  const periods = Math.floor(atNs / periodNs);
  return periods * highNs + Math.min(atNs - periods * periodNs, highNs);
}
