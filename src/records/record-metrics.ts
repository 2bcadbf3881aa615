import { intervalKeys, isIntervalEnd } from "../energy/interval-keys.ts";
import { finiteSorted, type Metrics } from "../energy/metrics.ts";
import { runMetrics } from "../energy/run-metrics.ts";
import { commonGain } from "../rails/rail-gain.ts";
import { measuredSpread } from "../stats/measured-spread.ts";
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
    metrics[key] = spread(values)!.median;
    const interval = intervalOf(key, values, valuesByKey);
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

/** The 95 % interval over repeats; that of an estimate holds what one measurement can be off too. */
function intervalOf(
  key: string,
  values: readonly number[],
  valuesByKey: ReadonlyMap<string, readonly number[]>,
): { readonly lo: number; readonly hi: number } | undefined {
  // How far the ends of intervals scatter says nothing that their figure's own interval does not.
  if (values.length < 2 || isIntervalEnd(key)) return undefined;
  const ends = intervalKeys(key);
  const los = ends && valuesByKey.get(ends.lo);
  const his = ends && valuesByKey.get(ends.hi);
  if (los?.length !== values.length || his?.length !== values.length)
    return spread(values)!.interval;
  return measuredSpread(values.map((value, i) => ({ value, lo: los[i]!, hi: his[i]! })));
}

/** What was cut off is shown with its cell, and enters no figure of the run. */
function countingRepeats(cells: readonly CellRecord[]): readonly CellRecord[] {
  const measured = cells.filter(({ state }) => state === "measured");
  const comparable = new Set(
    measured.filter(({ isComparable }) => isComparable).map(({ prefix }) => prefix),
  );
  return measured.filter(({ prefix, isComparable }) => isComparable || !comparable.has(prefix));
}

/**
 * The best of a sweep among cells that may be compared: the peak rate, the cheapest token by the
 * plain integral, and by the estimate among the cells that have one.
 */
export function sweepPeaks(cells: readonly CellRecord[], rail: DerivedRail): Metrics {
  const comparable = cells.filter(({ isComparable }) => isComparable);
  const perToken = `${rail.facts?.head ?? "gpu_rail"}_joules_per_token`;
  const fastest = best(comparable, "output_tok_s", (value, than) => value > than);
  return finiteSorted({
    peak_output_tok_s: fastest?.value,
    peak_output_tok_s_concurrency: fastest?.cell.concurrency,
    ...cheapest(comparable, perToken),
    ...cheapest(comparable, `${perToken}_est`),
  });
}

function cheapest(
  cells: readonly CellRecord[],
  key: string,
): Readonly<Record<string, number | undefined>> {
  const found = best(cells, key, (value, than) => value < than);
  return {
    [`best_${key}`]: found?.value,
    [`best_${key}_concurrency`]: found?.cell.concurrency,
  };
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
