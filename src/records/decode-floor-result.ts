import type { EnergyEstimate } from "../energy/energy-estimate.ts";
import type { EnergyWindow } from "../energy/energy-window.ts";
import type { EstimatedWindow } from "../energy/estimated-window.ts";
import { finiteSorted, type Metrics } from "../energy/metrics.ts";
import { sumEstimates } from "../energy/sum-estimates.ts";
import { sumWindows } from "../energy/sum-windows.ts";
import { windowMetrics } from "../energy/window-metrics.ts";
import { spread } from "../stats/spread.ts";
import type { DerivedRail } from "./derived-rail.ts";
import { recordMetrics } from "./record-metrics.ts";
import type { CellRecord, ReasonCode, RunRecord } from "./run-record.ts";

/** What a decode floor is held against. */
export interface DecodeFloorRules {
  readonly maxTokens: number;
  readonly minTokS?: number;
  readonly requireSpeculation: boolean;
}

/** The decode rate of each run, and where it is from; absent where no run has one. */
interface Rates {
  readonly source: "server" | "client";
  readonly tokS: readonly number[];
}

/** Of these a floor has rules of its own: half of the tokens are enough, and a count must be told. */
const OWN_RULES: readonly ReasonCode[] = ["short_completions", "tokens_estimated"];

/** The figures of a decode floor: medians and sums over all of its measured runs. */
export function decodeFloorFigures(cells: readonly CellRecord[], rail: DerivedRail): Metrics {
  const ofRuns = recordMetrics(cells, rail, (all) =>
    all.filter(({ state }) => state === "measured"),
  );
  // Energy is summed over the runs: a median of theirs, or its interval, would stand for the sum.
  const keys = new Set(cells.flatMap(({ metrics }) => Object.keys(metrics)));
  const kept = Object.entries(ofRuns).filter(([key]) => {
    const plain = key.replace(/_ci_(lo|hi)$/, "");
    return !(/^[a-z]+_rail_/.test(plain) && keys.has(plain));
  });
  return finiteSorted({ ...Object.fromEntries(kept), ...decodeFloorMetrics(cells, rail) });
}

/**
 * The figures of a decode floor: the median rate over its runs, the server's own where every run
 * tells it, and the energy of all windows together.
 */
function decodeFloorMetrics(cells: readonly CellRecord[], rail: DerivedRail): Metrics {
  const rates = ratesOf(cells);
  const rate = rates && spread(rates.tokS);
  return finiteSorted({
    ...summedEnergy(cells, rail),
    decode_tok_s: rate?.median,
    decode_tok_s_ci_lo: rate?.interval?.lo,
    decode_tok_s_ci_hi: rate?.interval?.hi,
    decode_rate_is_servers: rates && (rates.source === "server" ? 1 : 0),
    decode_runs: cells.filter(({ state }) => state === "measured").length,
  });
}

/** Whether the floor was held. Where the runs do not show it, it is inconclusive and never a pass. */
export function decodeFloorVerdict(
  cells: readonly CellRecord[],
  { maxTokens, minTokS, requireSpeculation }: DecodeFloorRules,
): NonNullable<RunRecord["verdict"]> {
  const rates = ratesOf(cells);
  const reasons = cells.flatMap((cell) => [
    ...shortfalls(cell, maxTokens, requireSpeculation),
    ...notComparable(cell, rates),
  ]);
  if (rates === undefined)
    reasons.push("no decode rate: neither the server nor the stream tells it");
  if (reasons.length > 0) return { verdict: "inconclusive", reasons };
  const tokS = spread(rates!.tokS)!.median;
  const measured = `${tokS.toFixed(1)} tokens/s by the ${rates!.source}'s times`;
  if (minTokS === undefined) return { verdict: "measured", reasons: [measured] };
  const verdict = tokS >= minTokS ? "pass" : "fail";
  return { verdict, reasons: [`${measured}, the floor is ${minTokS}`] };
}

function shortfalls(cell: CellRecord, maxTokens: number, needsDrafts: boolean): string[] {
  const { label, state, counts, tokens, metrics } = cell;
  if (state !== "measured") return [`${label} was ${state}`];
  if (counts === undefined || counts.failed > 0) return [`${label} failed`];
  const reasons: string[] = [];
  const emitted = tokens?.minCompletion;
  if (emitted === undefined)
    reasons.push(`${label}: the server does not tell how many tokens it made`);
  else if (emitted < maxTokens / 2) {
    reasons.push(`${label} ended after ${emitted} of ${maxTokens} tokens, fewer than half`);
  }
  if (needsDrafts && !(metrics["accepted_draft_tokens"]! > 0)) {
    reasons.push(`${label} accepted no draft token`);
  }
  return reasons;
}

/** Why a run that was measured whole shows no floor. A busy client moves no time of the server's. */
function notComparable({ label, state, counts, validity }: CellRecord, rates?: Rates): string[] {
  if (state !== "measured" || counts === undefined || counts.failed > 0) return [];
  return validity
    .filter(({ refuses, reason }) => refuses === "comparison" && !OWN_RULES.includes(reason))
    .filter(({ reason }) => reason !== "client_saturated" || rates?.source !== "server")
    .map(({ reason, detail }) =>
      reason === "client_saturated"
        ? `${label}: the load generator could have moved the client's times: ${detail}`
        : `${label} is not to be compared: ${detail}`,
    );
}

function ratesOf(cells: readonly CellRecord[]): Rates | undefined {
  for (const source of ["server", "client"] as const) {
    const tokS = cells
      .filter(({ state }) => state === "measured")
      .map(({ metrics }) => metrics[`decode_tok_s_${source}`]);
    const known = tokS.filter((rate) => rate !== undefined);
    if (known.length > 0 && known.length === tokS.length) return { source, tokS: known };
  }
  return undefined;
}

/** Joules and tokens add up, ratios do not: both are summed and divided once. */
function summedEnergy(cells: readonly CellRecord[], { facts, idle }: DerivedRail): Metrics {
  const head = facts?.head ?? "gpu_rail";
  const windows = cells.map(({ metrics }) => energyWindow(metrics, head));
  const known = windows.filter((window) => window !== undefined);
  // A sum over fewer windows than runs would be smaller without saying so.
  if (known.length === 0 || known.length < windows.length) return {};
  const output = sumOf(cells, `${head}_energy_window_tokens`);
  const sum = sumWindows(known)!;
  return windowMetrics(
    { ...sum, ...summedEstimates(cells, head, facts?.second?.field) },
    {
      rail: head,
      idle,
      tokens: output === undefined ? undefined : { output, ...deliveredOf(cells) },
    },
  );
}

/** Estimates of every run, or none: of fewer the sum would be smaller without saying so. */
function summedEstimates(
  cells: readonly CellRecord[],
  head: string,
  field = "",
): Pick<EstimatedWindow, "estimate" | "second"> {
  const sumOver = (estimateOf: (cell: CellRecord) => EnergyEstimate | undefined) => {
    const known = cells.map(estimateOf).filter((estimate) => estimate !== undefined);
    return known.length < cells.length ? undefined : sumEstimates(known);
  };
  const estimate = sumOver((cell) => estimateIn(cell, `${head}_energy_est`));
  const second =
    sumOver((cell) => estimateIn(cell, `${head}_instant_est`)) ??
    sumOver((cell) => counterIn(cell, `${head}_counter_j`));
  return {
    ...(estimate === undefined ? {} : { estimate }),
    ...(second === undefined ? {} : { second: { field, estimate: second } }),
  };
}

function estimateIn(
  { metrics, energyMethod }: CellRecord,
  key: string,
): EnergyEstimate | undefined {
  const ends = [`${key}_j`, `${key}_lo_j`, `${key}_hi_j`].map((name) => metrics[name]);
  const [energyJ, loJ, hiJ] = ends;
  if (energyJ === undefined || loJ === undefined || hiJ === undefined) return undefined;
  // Figures are made of the joules; which method made them is told with each run.
  return { energyJ, loJ, hiJ, method: energyMethod ?? "instant" };
}

/** A counter's record has no interval. */
function counterIn({ metrics }: CellRecord, key: string): EnergyEstimate | undefined {
  const energyJ = metrics[key];
  if (energyJ === undefined) return undefined;
  return { energyJ, loJ: energyJ, hiJ: energyJ, method: "counter" };
}

function deliveredOf(cells: readonly CellRecord[]): { readonly delivered?: number } {
  const delivered = sumOf(cells, "output_tokens");
  return delivered === undefined ? {} : { delivered };
}

function sumOf(cells: readonly CellRecord[], key: string): number | undefined {
  let sum = 0;
  for (const { metrics } of cells) {
    const value = metrics[key];
    if (value === undefined) return undefined;
    sum += value;
  }
  return sum;
}

function energyWindow(metrics: Metrics, head: string): EnergyWindow | undefined {
  const of = (tail: string): number | undefined => metrics[`${head}_${tail}`];
  const [energyJ, windowS, samples] = [of("energy_j"), of("energy_window_s"), of("power_samples")];
  const [meanPowerW, maxPowerW] = [of("mean_power_w"), of("max_power_w")];
  if (energyJ === undefined || windowS === undefined || samples === undefined) return undefined;
  if (meanPowerW === undefined || maxPowerW === undefined) return undefined;
  const [cap, brake] = [of("sw_power_cap_frac"), of("hw_power_brake_frac")];
  return {
    windowS,
    samples,
    energyJ,
    meanPowerW,
    maxPowerW,
    ...(cap === undefined ? {} : { swPowerCapFrac: cap }),
    ...(brake === undefined ? {} : { hwPowerBrakeFrac: brake }),
  };
}
