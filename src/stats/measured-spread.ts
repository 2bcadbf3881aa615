import { spread } from "./spread.ts";

/** A measured value with the 95 % interval of its own measurement. */
export interface MeasuredValue {
  readonly value: number;
  readonly lo: number;
  readonly hi: number;
}

/**
 * The median of repeats each of which has an interval of its own, with a 95 % interval that holds
 * both: how far the repeats scatter, and how far one measurement can be off.
 *
 * What a measurement gets wrong it may get wrong every time, and then repeats agree on a wrong value:
 * so the interval is never narrower than that of a typical repeat. The scatter comes on top; the two
 * have nothing to do with each other, so their half-widths add by their squares, each side by itself.
 *
 * @returns `undefined` for no value at all; a single value as it is.
 */
export function measuredSpread(values: readonly MeasuredValue[]): MeasuredValue | undefined {
  const [only] = values;
  const scatter = spread(values.map(({ value }) => value));
  if (only === undefined || scatter === undefined) return undefined;
  if (scatter.interval === undefined) return only;
  const { median, interval } = scatter;
  const lo = spread(values.map((one) => one.lo))!.median;
  const hi = spread(values.map((one) => one.hi))!.median;
  return {
    value: median,
    lo: median - Math.hypot(median - interval.lo, median - lo),
    hi: median + Math.hypot(interval.hi - median, hi - median),
  };
}
