import { PHASE_KEYS } from "../records/phase-energy.ts";
import type { RunRecord } from "../records/run-record.ts";
import { cleanText } from "./clean-text.ts";
import { number } from "./figure.ts";
import { hanging } from "./table-parts.ts";

const PHASES = [
  ["prefill", "J/input token"],
  ["decode", "J/output token"],
] as const;

/** What prefill and decode take by themselves, a line for each concurrency, or why that is not told. */
export function phaseLines(record: RunRecord, width: number): readonly string[] {
  const levels = [...new Set(record.cells.map(({ concurrency }) => concurrency))];
  const told = levels.flatMap((level) => {
    const figures = PHASES.flatMap(([phase, unit]) => figureOf(record, level, phase, unit));
    return figures.length === 0 ? [] : [`${level} at once: ${figures.join(", ")}`];
  });
  const reasons = record.validity
    .filter(({ refuses }) => refuses === "phases")
    .map(({ reason, detail }) => `not told: ${cleanText(detail)} [${reason}]`);
  return [...told, ...reasons].flatMap((text) => hanging(text, width));
}

function figureOf(
  { metrics, rail }: RunRecord,
  level: number,
  phase: keyof typeof PHASE_KEYS,
  unit: string,
): readonly string[] {
  const key = `c${level}_${rail?.head}_${PHASE_KEYS[phase]}`;
  const [value, lo, hi] = ["", "_lo", "_hi"].map((tail) => metrics[`${key}${tail}`]);
  if (value === undefined || lo === undefined || hi === undefined) return [];
  const digits = digitsOf(value, hi - lo);
  const [shown, from, to] = [value, lo, hi].map((one) => number(one, digits));
  return [`${phase} ${shown} ${unit} (${from}–${to})`];
}

/** As many as the interval's width gives a meaning to: two to four that count. */
function digitsOf(value: number, intervalWidth: number): number {
  const first = -Math.floor(Math.log10(value));
  const meant = intervalWidth > 0 ? -Math.floor(Math.log10(intervalWidth)) : Number.MAX_VALUE;
  return Math.max(0, Math.min(first + 3, Math.max(first + 1, meant)));
}

/** What such lines are to be read as; empty where none is. */
export function phaseLegend({ metrics }: RunRecord): string {
  const isTold = Object.values(PHASE_KEYS).some((tail) =>
    Object.keys(metrics).some((key) => key.endsWith(`_${tail}`)),
  );
  return isTold
    ? " Prefill and decode: what each further token takes, by regression over the lengths, and its 95 % interval."
    : "";
}
