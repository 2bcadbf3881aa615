import type { RailFacts, RailWindow } from "../rails/source.ts";
import { windowWarnings } from "../rails/window-warnings.ts";
import type { CellRequests } from "./cell-accumulator.ts";
import { cellMetrics } from "./cell-metrics.ts";
import type { CellRail } from "./cell-rail.ts";
import { cellReasons } from "./cell-reasons.ts";
import type { TokenSum } from "./cell-tokens.ts";
import type { CellPlan } from "./run-header.ts";
import type { CellRecord, SteadyRecord } from "./run-record.ts";
import type { WindowPart } from "./steady-part.ts";

/** One measured cell, from what its requests and the rail tell. */
export function cellRecord(requests: CellRequests, rail: CellRail): CellRecord {
  const { plan, end, counts, tokens } = requests;
  const steady = longEnough(requests.steady, rail.facts);
  const steadyWindow = steady && rail.judge?.(steady);
  const isMeasured = rail.window.state === "measured";
  const refusals = [...rail.window.reasons, ...(isMeasured ? rail.idleReasons : [])];
  const validity = cellReasons(requests, refusals);
  const whole = tokens.whole;
  return {
    ...plan,
    state: end.stopped === undefined ? "measured" : "interrupted",
    startMs: end.startMs,
    endMs: end.endMs,
    ...pick(requests, ["ttftMs", "tpotMs", "e2eMs", "itlEventMs", "itlTokenMs"]),
    counts,
    ...(whole.output === undefined || whole.delivered === undefined
      ? {}
      : {
          tokens: {
            output: whole.output,
            delivered: whole.delivered,
            isEstimated: whole.isEstimated,
            ...given("prompt", tokens.prompt),
            ...given("cachedPrompt", tokens.cachedPrompt),
            ...given("minCompletion", tokens.minCompletion),
          },
        }),
    ...given("steady", steady && steadyRecord(steady, steadyWindow)),
    ...given("energyMethod", methodOf(rail.window)),
    ...given("health", end.health),
    metrics: cellMetrics(requests, rail, steady, steadyWindow),
    isComparable: !validity.some(({ refuses }) => refuses === "comparison"),
    validity,
    warnings: warningsOf(requests, rail),
  };
}

/** The steady part, how its energy was estimated, and why figures of it are absent. */
function steadyRecord(
  { startMs, endMs }: WindowPart,
  window: RailWindow | undefined,
): SteadyRecord {
  const reasons = window?.reasons ?? [];
  return {
    startMs,
    endMs,
    ...given("energyMethod", methodOf(window)),
    ...(reasons.length === 0 ? {} : { reasons }),
  };
}

function methodOf(window: RailWindow | undefined): CellRecord["energyMethod"] {
  return window?.state === "measured" ? window.estimate?.method : undefined;
}

/** A cell that has no figures. */
export interface CellWithoutFigures {
  readonly state: "interrupted" | "not measured";
  /** Why there is none, in words. */
  readonly why: string;
  /** How its requests ended, as far as they are there. */
  readonly counts?: CellRecord["counts"];
  readonly window?: WindowPart;
}

/** A cell of which nothing but counts can be said, and why. */
export function cellWithoutFigures(
  plan: CellPlan,
  { state, why, counts, window }: CellWithoutFigures,
): CellRecord {
  return {
    ...plan,
    state,
    ...(window === undefined ? {} : { startMs: window.startMs, endMs: window.endMs }),
    ...given("counts", counts),
    metrics: {},
    isComparable: false,
    validity: [{ reason: "interrupted", refuses: "comparison", detail: why }],
    warnings: [],
  };
}

/** A whole multiple that was added up from ms may be off by their last digits. */
const ROUNDING_MS = 0.001;

/** A part that is shorter than the sensor's mean says nothing that the sensor could have seen. */
function longEnough(
  steady: WindowPart | undefined,
  facts: RailFacts | undefined,
): WindowPart | undefined {
  if (steady === undefined) return undefined;
  const leastMs = facts?.sensor.averagingMs ?? 0;
  return steady.endMs - steady.startMs > leastMs - ROUNDING_MS ? steady : undefined;
}

function warningsOf(
  { tokens }: CellRequests,
  { window, facts, warnings }: CellRail,
): readonly string[] {
  return [
    ...warnings,
    ...(window.state === "measured" && facts ? windowWarnings(window, facts) : []),
    ...estimateWarnings(tokens.whole),
  ];
}

function estimateWarnings({ isEstimated, why }: TokenSum): readonly string[] {
  if (!isEstimated) return [];
  const { failed_request: failed = 0, count_not_told: untold = 0 } = why;
  const told: string[] = [];
  if (failed > 0) {
    told.push(
      failed === 1
        ? "1 request that failed or was cut off is counted by its events"
        : `${failed} requests that failed or were cut off are counted by their events`,
    );
  }
  if (untold > 0) {
    told.push(
      untold === 1
        ? "1 reply without a count from the server is counted by its events"
        : `${untold} replies without a count from the server are counted by their events`,
    );
  }
  return [`tokens are estimated in part: ${told.join("; ")}`];
}

function pick<T extends object, K extends keyof T>(
  from: T,
  keys: readonly K[],
): Partial<Pick<T, K>> {
  const picked: Partial<Pick<T, K>> = {};
  for (const key of keys) if (from[key] !== undefined) picked[key] = from[key];
  return picked;
}

function given<K extends string, V>(key: K, value: V | undefined): { readonly [key in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [key in K]: V });
}
