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

/** What it draws at a time. */
export function tenantPowerW(load: TenantLoad, atNs: number): number {
  if (load.kind === "constant") return load.powerW;
  const periodNs = load.periodMs * 1e6;
  const phaseNs = atNs - Math.floor(atNs / periodNs) * periodNs;
  return phaseNs < load.highMs * 1e6 ? load.highW : load.lowW;
}

/** How many times at most it changes in an interval. */
export function tenantChanges(load: TenantLoad, startNs: number, endNs: number): number {
  return load.kind === "constant" ? 0 : 2 * ((endNs - startNs) / (load.periodMs * 1e6) + 1);
}

/** When it changes inside an interval, in whole ns and in order. */
export function tenantEdgesNs(load: TenantLoad, startNs: number, endNs: number): number[] {
  if (load.kind === "constant") return [];
  const periodNs = load.periodMs * 1e6;
  const highNs = Math.min(load.highMs, load.periodMs) * 1e6;
  const edges: number[] = [];
  for (let i = Math.floor(startNs / periodNs); i * periodNs < endNs; i++) {
    for (const atNs of [i * periodNs, i * periodNs + highNs].map(Math.round)) {
      if (atNs > startNs && atNs < endNs && atNs !== edges.at(-1)) edges.push(atNs);
    }
  }
  return edges;
}
