import { aboveIdleJ } from "./above-idle.ts";
import type { EnergyWindow } from "./energy-window.ts";
import { type EstimateContext, estimateFigures } from "./estimate-figures.ts";
import type { EstimatedWindow } from "./estimated-window.ts";
import { joulesPerToken } from "./joules-per-token.ts";
import { finiteSorted, type Metrics } from "./metrics.ts";
import type { RailHead } from "./rail-head.ts";

/** Tokens of the same interval as the joules. */
export interface TokenCounts {
  /** Output tokens that arrived inside the window, those of requests that failed later included. */
  readonly output: number;
  /** Output tokens of successful requests alone. */
  readonly delivered?: number;
  /** Prompt tokens processed in the window. */
  readonly input?: number;
}

export interface WindowMetricsOptions {
  /** Stands before every key, such as `c4_`; default none. */
  readonly prefix?: string;
  /** A plain number is the output tokens of the window. Absent when they are not known. */
  readonly tokens?: number | TokenCounts | undefined;
  /** The idle baseline; without it nothing is said above idle. */
  readonly idle?: Pick<EnergyWindow, "meanPowerW"> | undefined;
  /** What the joules are of; default `gpu_rail`. */
  readonly rail?: RailHead;
}

/**
 * The figures of one window as flat keys, sorted, finite numbers only.
 *
 * Those of the estimate end in `_est` (before the unit) and stand beside the plain integral's, each
 * with the ends of its 95 % interval; a window without an estimate has none of them.
 *
 * @param window - `undefined` when the window was refused: then there are no keys.
 */
export function windowMetrics(
  window: EstimatedWindow | undefined,
  { prefix = "", tokens, idle, rail = "gpu_rail" }: WindowMetricsOptions = {},
): Metrics {
  if (window === undefined) return {};
  const counts: Partial<TokenCounts> =
    typeof tokens === "number" ? { output: tokens } : (tokens ?? {});
  const { output, delivered, input } = counts;
  const total = output === undefined || input === undefined ? undefined : output + input;
  const context: EstimateContext = {
    idleJ: idle && idle.meanPowerW * window.windowS,
    tokens: { token: output, delivered_token: delivered, input_token: input, total_token: total },
  };
  const head = `${prefix}${rail}_`;
  return finiteSorted({
    [`${head}energy_j`]: window.energyJ,
    [`${head}energy_window_s`]: window.windowS,
    [`${head}energy_window_tokens`]: output,
    [`${head}energy_above_idle_j`]: idle && aboveIdleJ(window, idle),
    [`${head}joules_per_token`]: joulesPerToken(window.energyJ, output),
    [`${head}joules_per_delivered_token`]: joulesPerToken(window.energyJ, delivered),
    [`${head}joules_per_input_token`]: joulesPerToken(window.energyJ, input),
    [`${head}joules_per_total_token`]: joulesPerToken(window.energyJ, total),
    [`${head}mean_power_w`]: window.meanPowerW,
    [`${head}max_power_w`]: window.maxPowerW,
    [`${head}power_samples`]: window.samples,
    [`${head}sw_power_cap_frac`]: window.swPowerCapFrac,
    [`${head}hw_power_brake_frac`]: window.hwPowerBrakeFrac,
    ...estimateFigures(head, window, context),
  });
}
