import { type MeasuredValue, measuredSpread } from "../stats/measured-spread.ts";
import { spread } from "../stats/spread.ts";
import type { Why } from "./footnotes.ts";

/** A figure of a table: its value, or why it has none. */
export type Figure =
  | {
      readonly value: number;
      /** The 95 % interval; the value need not stand in its middle. */
      readonly interval?: Interval;
    }
  | { readonly absent: Why };

/** From where to where. */
interface Interval {
  readonly lo: number;
  readonly hi: number;
}

/** What of one cell enters a figure. */
export type Pick =
  | { readonly value: number; readonly lo?: number; readonly hi?: number }
  | { readonly absent: Why };

/**
 * The figure over the repeats of a cell: the median with its 95 % interval, which holds the intervals
 * that the values bring. A single value has its own, if it brings one.
 */
export function figureOf(picks: readonly Pick[]): Figure {
  const known = picks.filter((pick) => "value" in pick);
  const [only] = known;
  const absent = picks.find((pick) => "absent" in pick);
  if (only === undefined)
    return absent ?? { absent: { code: "not_measured", text: "not measured" } };
  const measured = known.filter(isMeasured);
  if (measured.length === known.length) {
    const { value, lo, hi } = measuredSpread(measured)!;
    return { value, interval: { lo, hi } };
  }
  const { median, interval } = spread(known.map(({ value }) => value))!;
  if (interval === undefined) return { value: median };
  return { value: median, interval: { lo: interval.lo, hi: interval.hi } };
}

function isMeasured(pick: { readonly value: number }): pick is MeasuredValue {
  return "lo" in pick && "hi" in pick;
}

/** Digits behind the point, so that the smallest of these figures shows three that count. */
export function digitsFor(figures: readonly Figure[]): number {
  const sizes = figures.flatMap((figure) =>
    "value" in figure && figure.value !== 0 ? [Math.abs(figure.value)] : [],
  );
  if (sizes.length === 0) return 0;
  return Math.min(3, Math.max(0, 2 - Math.floor(Math.log10(Math.min(...sizes)))));
}

/** A number for people, thousands apart, with the minus that is as wide as a plus. */
export function number(value: number, digits: number): string {
  const text = value.toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return text.replace("-", "−");
}

/** A figure with its interval in brackets, from end to end: `±` would say that it lies in the middle. */
export function withInterval(
  value: number,
  interval: Interval | undefined,
  digits: number,
): string {
  const text = number(value, digits);
  if (interval === undefined) return text;
  return `${text} (${number(interval.lo, digits)}–${number(interval.hi, digits)})`;
}

/** How far a value lies from another, in percent of that one, with its sign. */
export function signedPercent(percent: number): string {
  const text = number(percent, 1);
  return percent > 0 ? `+${text}` : text;
}

/** The most useful digits of a single number: three that count, whole above 100. */
export function shortNumber(value: number): string {
  return number(value, Math.abs(value) >= 100 ? 0 : digitsFor([{ value }]));
}
