import { finiteSorted, type Metrics } from "../energy/metrics.ts";
import { windowMetrics } from "../energy/window-metrics.ts";
import type { RailWindow } from "../rails/source.ts";
import { PERCENTILES } from "../stats/percentile.ts";
import type { Summary } from "../stats/summary.ts";
import type { CellRequests } from "./cell-accumulator.ts";
import type { CellRail } from "./cell-rail.ts";
import { MOST_OUTSIDE_MS } from "./cell-reasons.ts";
import type { TokenSum } from "./cell-tokens.ts";
import type { WindowPart } from "./steady-part.ts";

const UNKNOWN_TOKENS: TokenSum = { isEstimated: false, why: {} };

/** The figures of one cell as flat keys without its prefix; docs/records.md lists them. */
export function cellMetrics(
  requests: CellRequests,
  rail: CellRail,
  steady: WindowPart | undefined,
  steadyWindow: RailWindow | undefined,
): Metrics {
  const { tokens, end } = requests;
  // Joules of one interval are not for tokens of another.
  const whole = tokens.outsideMs(end) > MOST_OUTSIDE_MS ? UNKNOWN_TOKENS : tokens.whole;
  return finiteSorted({
    ...latencyMetrics(requests),
    ...throughputMetrics(requests),
    ...decodeMetrics(requests),
    ...energyMetrics(rail, rail.window, whole, tokens.prompt, ""),
    ...(steady && {
      steady_s: seconds(steady),
      steady_output_tok_s: perSecond(tokens.steady.output, steady),
      ...energyMetrics(rail, steadyWindow, tokens.steady, undefined, "steady_"),
    }),
  });
}

function latencyMetrics(requests: CellRequests): Record<string, number | undefined> {
  const metrics: Record<string, number | undefined> = {};
  const named: readonly (readonly [string, Summary | undefined])[] = [
    ["ttft", requests.ttftMs],
    ["tpot", requests.tpotMs],
    ["e2e", requests.e2eMs],
    ["itl_event", requests.itlEventMs],
    ["itl_token", requests.itlTokenMs],
  ];
  for (const [name, summary] of named) {
    if (summary === undefined) continue;
    metrics[`${name}_mean_ms`] = summary.mean;
    metrics[`${name}_max_ms`] = summary.max;
    for (const { name: p } of PERCENTILES) metrics[`${name}_${p}_ms`] = summary.percentiles[p];
  }
  return metrics;
}

function throughputMetrics({ counts, tokens, end, plan }: CellRequests) {
  // Where no reply ended well there is no rate, which is not the same as a rate of 0.
  const delivered = counts.ok === 0 ? undefined : tokens.whole.delivered;
  const perUser = perSecond(delivered, end);
  const total =
    delivered === undefined || tokens.prompt === undefined ? undefined : delivered + tokens.prompt;
  return {
    window_s: seconds(end),
    requests_ok: counts.ok,
    requests_failed: counts.failed,
    request_s: counts.ok === 0 ? undefined : perSecond(counts.ok, end),
    output_tok_s: perSecond(delivered, end),
    total_tok_s: perSecond(total, end),
    output_tok_s_per_user: perUser === undefined ? undefined : perUser / plan.concurrency,
    output_tokens: delivered,
    prompt_tokens: tokens.prompt,
    min_completion_tokens: tokens.minCompletion,
    min_cached_prompt_share: tokens.cachedShares?.min,
  };
}

/** Of benchmarks whose cells are single requests: how fast one reply came. */
function decodeMetrics({ plan, serverTokS, clientTokS, tokens }: CellRequests) {
  if (plan.requests !== 1) return {};
  return {
    decode_tok_s_server: serverTokS[0],
    decode_tok_s_client: clientTokS[0],
    accepted_draft_tokens: tokens.acceptedDrafts,
  };
}

function energyMetrics(
  { head, idle }: CellRail,
  window: RailWindow | undefined,
  { output, delivered }: TokenSum,
  input: number | undefined,
  prefix: string,
): Metrics {
  if (window?.state !== "measured") return {};
  const tokens =
    output === undefined
      ? undefined
      : {
          output,
          ...(delivered === undefined ? {} : { delivered }),
          ...(input === undefined ? {} : { input }),
        };
  return windowMetrics(window, { rail: head, idle, prefix, tokens });
}

function seconds({ startMs, endMs }: WindowPart): number {
  return (endMs - startMs) / 1000;
}

function perSecond(count: number | undefined, part: WindowPart): number | undefined {
  return count === undefined ? undefined : count / seconds(part);
}
