import { type Figures, figuresOf } from "./figures.ts";
import type { JudgedWindow } from "./judge.ts";
import { DISTANCES, inFamily, LENGTHS, type Stratum } from "./strata.ts";
import { type Judgement, judgeTargets } from "./targets.ts";
import type { WindowFamily } from "./windows.ts";

type Row = readonly string[];

/** Rows under a title; the first row is the head. */
export interface Table {
  readonly title: string;
  readonly rows: readonly Row[];
}

export const HEAD: Row = [
  "n",
  "refused",
  "integral: bias %",
  "p50 %",
  "p95 %",
  "estimate: bias %",
  "p50 %",
  "p95 %",
  "in 95 % interval",
  "width %",
  "width ratio",
];

/** The aims against what was found, a row for each sensor and period. */
export function targetsTable(judged: readonly JudgedWindow[]): Table {
  const groups = bySensorAndPeriod(judged);
  const judgements = groups.map(({ windows, periodMs }) => judgeTargets(windows, periodMs));
  const targets = judgements[0]?.map(({ target }) => target) ?? [];
  return {
    title: "aims: what was found (the aim): the verdict; bias and p95 in % of the energy",
    rows: [
      ["sensor", "period", ...targets],
      ...groups.map(({ sensor, periodMs }, i) => [
        sensor,
        `${periodMs} ms`,
        ...judgements[i]!.map(judgementText),
      ]),
    ],
  };
}

function judgementText({ value, limit, missedBy, where }: Judgement): string {
  if (value === undefined || missedBy === undefined) return "-";
  const verdict = missedBy === 0 ? "met" : `missed by ${number(missedBy)}`;
  return `${number(value)} (${number(limit)}): ${verdict}${where ? ` [${where}]` : ""}`;
}

/** Both ways beside each other for each family: by length and, anywhere, by distance to quiet. */
export function figureTables(judged: readonly JudgedWindow[]): readonly Table[] {
  const lengths = [...LENGTHS, { name: "all", holds: () => true }];
  return [
    tableBy("length", lengths, judged, "quiet"),
    tableBy("length", lengths, judged, "anywhere"),
    tableBy("distance", DISTANCES, judged, "anywhere"),
  ];
}

/** The same by shape. */
export function shapeTables(judged: readonly JudgedWindow[]): readonly Table[] {
  const shapes = [...new Set(judged.map(({ shape }) => shape))].map((name) => ({
    name,
    holds: ({ shape }: JudgedWindow) => shape === name,
  }));
  return [tableBy("shape", shapes, judged, "quiet"), tableBy("shape", shapes, judged, "anywhere")];
}

function tableBy(
  name: string,
  strata: readonly Stratum[],
  judged: readonly JudgedWindow[],
  family: WindowFamily,
): Table {
  const rows = bySensorAndPeriod(inFamily(judged, family)).flatMap(
    ({ sensor, periodMs, windows }) =>
      strata.flatMap((stratum) => {
        const own = windows.filter(stratum.holds);
        if (own.length === 0) return [];
        return [[sensor, `${periodMs} ms`, stratum.name, ...figureCells(figuresOf(own))]];
      }),
  );
  const title = family === "quiet" ? "quiet on both sides" : "anywhere";
  return { title: `${title}, by ${name}`, rows: [["sensor", "period", name, ...HEAD], ...rows] };
}

/** Which reasons refused how many estimates. */
export function refusalsTable(judged: readonly JudgedWindow[]): Table {
  const counts = new Map<string, number>();
  for (const { sensor, periodMs, window, refusedFor } of judged) {
    if (refusedFor === undefined) continue;
    const key = [sensor, `${periodMs} ms`, window.family, refusedFor].join("\t");
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const rows = [...counts].map(([key, count]) => [...key.split("\t"), String(count)]);
  return { title: "refused", rows: [["sensor", "period", "windows", "reason", "n"], ...rows] };
}

/** The cells under `HEAD`. */
export function figureCells({ windows, refused, integral, estimate }: Figures): Row {
  return [
    String(windows),
    String(refused),
    ...cells(integral?.biasPct, integral?.p50Pct, integral?.p95Pct),
    ...cells(estimate?.biasPct, estimate?.p50Pct, estimate?.p95Pct),
    ...cells(estimate?.coveragePct, estimate?.medianWidthPct, estimate?.widthRatio),
  ];
}

function cells(...values: readonly (number | undefined)[]): Row {
  return values.map((value) => (value === undefined ? "-" : number(value)));
}

export function number(value: number): string {
  return value.toFixed(2);
}

/** The windows of each sensor at each period, in the order in which they came. */
function bySensorAndPeriod(judged: readonly JudgedWindow[]): readonly {
  readonly sensor: string;
  readonly periodMs: number;
  readonly windows: readonly JudgedWindow[];
}[] {
  const names = [...new Set(judged.map(({ sensor }) => sensor))];
  const periods = [...new Set(judged.map(({ periodMs }) => periodMs))];
  return names.flatMap((sensor) =>
    periods.map((periodMs) => ({
      sensor,
      periodMs,
      windows: judged.filter((one) => one.sensor === sensor && one.periodMs === periodMs),
    })),
  );
}
