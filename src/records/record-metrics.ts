import { finiteSorted, type Metrics } from "../energy/metrics.ts";
import { runMetrics } from "../energy/run-metrics.ts";
import { commonGain } from "../rails/rail-gain.ts";
import { spread } from "../stats/spread.ts";
import type { DerivedRail } from "./derived-rail.ts";
import type { CellRecord } from "./run-record.ts";

/**
 * The figures of a whole run: those of each cell behind its prefix, the median over repeats with
 * its 95 % interval, and those of the rail.
 *
 * Of repeats of which some may be compared and some not, those that may be count alone.
 *
 * @param counting - which cells count, where it is not those.
 */
export function recordMetrics(
  cells: readonly CellRecord[],
  rail: DerivedRail,
  counting: (cells: readonly CellRecord[]) => readonly CellRecord[] = countingRepeats,
): Metrics {
  const valuesByKey = new Map<string, number[]>();
  for (const cell of counting(cells)) {
    for (const [key, value] of Object.entries(cell.metrics)) {
      const name = `${cell.prefix}${key}`;
      const values = valuesByKey.get(name);
      if (values === undefined) valuesByKey.set(name, [value]);
      else values.push(value);
    }
  }
  const metrics: Record<string, number | undefined> = {};
  for (const [key, values] of valuesByKey) {
    const { median, interval } = spread(values)!;
    metrics[key] = median;
    if (interval === undefined) continue;
    metrics[`${key}_ci_lo`] = interval.lo;
    metrics[`${key}_ci_hi`] = interval.hi;
  }
  const { facts, idle, cost } = rail;
  const ofRail =
    facts &&
    runMetrics(
      { samplePeriodMs: facts.periodMs, gain: commonGain(facts.devices), idle, cost },
      facts.head,
    );
  return finiteSorted({ ...metrics, ...ofRail });
}

/** What was cut off is shown with its cell, and enters no figure of the run. */
function countingRepeats(cells: readonly CellRecord[]): readonly CellRecord[] {
  const measured = cells.filter(({ state }) => state === "measured");
  const comparable = new Set(
    measured.filter(({ isComparable }) => isComparable).map(({ prefix }) => prefix),
  );
  return measured.filter(({ prefix, isComparable }) => isComparable || !comparable.has(prefix));
}

/** The best of a sweep among cells that may be compared: the peak rate, the cheapest token. */
export function sweepPeaks(cells: readonly CellRecord[], rail: DerivedRail): Metrics {
  const comparable = cells.filter(({ isComparable }) => isComparable);
  const perToken = `${rail.facts?.head ?? "gpu_rail"}_joules_per_token`;
  const fastest = best(comparable, "output_tok_s", (value, than) => value > than);
  const cheapest = best(comparable, perToken, (value, than) => value < than);
  return finiteSorted({
    peak_output_tok_s: fastest?.value,
    peak_output_tok_s_concurrency: fastest?.cell.concurrency,
    [`best_${perToken}`]: cheapest?.value,
    [`best_${perToken}_concurrency`]: cheapest?.cell.concurrency,
  });
}

/** By the medians over repeats, so that one lucky repeat is no peak. */
function best(
  cells: readonly CellRecord[],
  key: string,
  isBetter: (value: number, than: number) => boolean,
): { readonly cell: CellRecord; readonly value: number } | undefined {
  let found: { cell: CellRecord; value: number } | undefined;
  for (const prefix of new Set(cells.map((cell) => cell.prefix))) {
    const same = cells.filter((cell) => cell.prefix === prefix);
    const values = same.map(({ metrics }) => metrics[key]).filter((value) => value !== undefined);
    const value = spread(values)?.median;
    if (value === undefined) continue;
    if (found === undefined || isBetter(value, found.value)) found = { cell: same[0]!, value };
  }
  return found;
}
