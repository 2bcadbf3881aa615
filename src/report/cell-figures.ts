import type { Metrics } from "../energy/metrics.ts";
import type { CellRecord, Reason } from "../records/run-record.ts";
import { PERCENTILES, type PercentileName } from "../stats/percentile.ts";
import type { Summary } from "../stats/summary.ts";
import { cleanText } from "./clean-text.ts";
import type { Pick } from "./figure.ts";
import type { Why } from "./footnotes.ts";

/** Tokens of requests that ended well, for each second of the measured window. */
export function tokensPerS(cell: CellRecord): Pick {
  const value = cell.metrics["output_tok_s"];
  return value === undefined ? { absent: whyAbsent(cell, ["per_token", "comparison"]) } : { value };
}

/** A percentile of a time of the cell's requests, in ms. */
export function percentileMs(
  cell: CellRecord,
  time: "ttftMs" | "tpotMs",
  name: PercentileName,
): Pick {
  const summary: Summary | undefined = cell[time];
  const value = summary?.percentiles[name];
  if (value !== undefined) return { value };
  const isUnfounded = time === "tpotMs" && (summary?.n ?? 0) === 0 && hasGuessedTokens(cell);
  if (isUnfounded) return { absent: NO_TPOT };
  if (summary === undefined || summary.n === 0) return { absent: whyAbsent(cell, ["comparison"]) };
  const { fromCount } = PERCENTILES.find((one) => one.name === name)!;
  const code = `few_for_${name}`;
  const text = `fewer than the ${fromCount} requests that ${shownPercentile(name)} needs`;
  return { absent: { code, text } };
}

const NO_TPOT: Why = {
  code: "tpot_needs_count",
  text: "TPOT needs the server's own count of tokens, which it did not tell",
};

/** Whether tokens of the cell were counted from events, since the server told no count of its own. */
export function hasGuessedTokens({ tokens, counts }: CellRecord): boolean {
  return tokens?.isEstimated === true && (counts?.ok ?? 0) > 0;
}

/** Whether a table shows estimates, plain integrals or, where no cell has energy, neither. */
export type EnergyKind = "estimate" | "plain" | "none";

/** The estimate, where any cell has one: figures of two kinds do not stand in one column. */
export function energyKind(cells: readonly CellRecord[]): EnergyKind {
  const has = (tail: string): boolean =>
    cells.some(({ metrics }) => railMetric(metrics, tail) !== undefined);
  if (has("joules_per_token_est")) return "estimate";
  return has("joules_per_token") ? "plain" : "none";
}

/** What the column of joules per token is called: where the name alone would be taken for more. */
export function energyHead(kind: EnergyKind): string {
  return kind === "plain" ? "plain\nJ/token" : "J/token";
}

/** Joules for each output token of the window. */
export function joulesPerToken(cell: CellRecord, kind: EnergyKind): Pick {
  const value = railMetric(
    cell.metrics,
    kind === "estimate" ? "joules_per_token_est" : "joules_per_token",
  );
  if (value === undefined)
    return {
      absent: whyAbsent(cell, [
        "energy",
        ...(kind === "estimate" ? ["estimate"] : []),
        "per_token",
      ]),
    };
  if (kind !== "estimate") return { value };
  const lo = railMetric(cell.metrics, "joules_per_token_est_lo");
  const hi = railMetric(cell.metrics, "joules_per_token_est_hi");
  return lo === undefined || hi === undefined ? { value } : { value, lo, hi };
}

/** Columns that may be read beside the one that the estimate is of, by the tails of their keys. */
const SECONDS = { instant: "instant_est_j", counter: "counter_j" } as const;

export type SecondName = keyof typeof SECONDS;

/** What else was read of the same rail; absent where no cell has it beside an estimate. */
export function secondName(cells: readonly CellRecord[]): SecondName | undefined {
  const names: readonly SecondName[] = ["instant", "counter"];
  return names.find((name) => cells.some((cell) => "value" in secondApart(cell, name)));
}

/** How far the energy by the second column alone lies from the estimate, in percent of it. */
export function secondApart(cell: CellRecord, name: SecondName): Pick {
  const [estimateJ, secondJ] = ["energy_est_j", SECONDS[name]].map((tail) =>
    railMetric(cell.metrics, tail),
  );
  if (estimateJ === undefined || secondJ === undefined)
    return { absent: whyAbsent(cell, ["energy", "estimate"]) };
  return { value: (secondJ / estimateJ - 1) * 100 };
}

/** Why a run has nothing but plain integrals, in words; absent where an old record does not tell. */
export function whyPlain(cells: readonly CellRecord[]): string | undefined {
  const reasons = cells.flatMap(({ validity }) => validity);
  const why = reasons.find(({ refuses }) => refuses === "estimate");
  return why && `${cleanText(why.detail)} [${why.reason}]`;
}

/** A figure of the cell's rail by the tail of its key, or why it is absent. */
export function railFigure(cell: CellRecord, tail: string): Pick {
  const value = railMetric(cell.metrics, tail);
  return value === undefined ? { absent: whyAbsent(cell, ["energy"]) } : { value };
}

/** The first reason that takes such figures away, in words; else the state of the cell itself. */
export function whyAbsent(cell: CellRecord, refuses: readonly string[]): Why {
  if (cell.state === "not measured")
    return { code: "not_measured", text: "the run ended before this was measured" };
  const reasons = refuses.flatMap((kind) =>
    cell.validity.filter((reason) => reason.refuses === kind),
  );
  const [first] = reasons;
  if (first !== undefined) return whyOf(first);
  if (cell.state === "interrupted")
    return { code: "interrupted", text: "the run ended early, while this was measured" };
  return { code: "not_told", text: "the record does not say why" };
}

export function whyOf({ reason, detail }: Reason): Why {
  return { code: reason, text: cleanText(detail), isReason: true };
}

export function shownPercentile(name: PercentileName): string {
  return name === "p999" ? "p99.9" : name;
}

/** A figure of whatever rail there is: one run has one rail, and its head says which. */
export function railMetric(metrics: Metrics, tail: string): number | undefined {
  const key = ["gpu", "sim", "cpu", "node", "module"]
    .map((head) => `${head}_rail_${tail}`)
    .find((name) => metrics[name] !== undefined);
  return key === undefined ? undefined : metrics[key];
}
