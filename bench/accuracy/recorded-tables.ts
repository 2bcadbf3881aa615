import { figuresOf } from "./figures.ts";
import { type JudgedRecording, judgeInside, judgeLoad } from "./judge-recorded.ts";
import type { RecordedTrace, SkippedTrace } from "./recorded-traces.ts";
import { figureCells, HEAD, number, type Table } from "./tables.ts";

type Row = readonly string[];

const LENGTHS_S: readonly (readonly [from: number, to: number])[] = [
  [1, 2],
  [2, 4],
  [4, 6],
];

/** Random windows of each recording by length, the whole load of each, and what was left out. */
export function recordedTables(
  traces: readonly (RecordedTrace | SkippedTrace)[],
  windows: number,
  seed: number,
): readonly Table[] {
  const used = traces.flatMap((trace) => ("reason" in trace ? [] : [trace]));
  const skipped = traces.flatMap((trace) => ("reason" in trace ? [trace] : []));
  return [
    {
      title: "recorded: random windows, from .average alone; truth: .instant moved by its lag",
      rows: [
        ["recording", "length", ...HEAD],
        ...used.flatMap((trace) => insideRows(trace, judgeInside(trace, windows, seed))),
      ],
    },
    {
      title: "recorded: the whole load, from .average alone; truth: the pulse area of .instant",
      rows: [
        ["recording", "pulse area J", "integral J", "estimate J", "95 % interval J", "method"],
        ...used.flatMap(({ file, ...trace }) => loadRow(file, judgeLoad({ file, ...trace }))),
      ],
    },
    {
      title: "recorded: two power columns, and not used",
      rows: [["recording", "why"], ...skipped.map(({ file, reason }) => [file, reason])],
    },
  ];
}

function insideRows({ file }: RecordedTrace, judged: readonly JudgedRecording[]): readonly Row[] {
  return LENGTHS_S.map(([fromS, toS]) => {
    const inside = judged.filter(({ startMs, endMs }) => {
      const lengthS = (endMs - startMs) / 1000;
      return lengthS >= fromS && lengthS < toS;
    });
    return [file, `${fromS}-${toS} s`, ...figureCells(figuresOf(inside))];
  });
}

function loadRow(file: string, judged: JudgedRecording | undefined): readonly Row[] {
  if (judged === undefined) return [];
  const { trueJ, integralJ, estimate, refusedFor } = judged;
  const beside = (valueJ: number | undefined): string =>
    valueJ === undefined
      ? "-"
      : `${number(valueJ)} (${number((100 * (valueJ - trueJ)) / trueJ)} %)`;
  return [
    [
      file,
      number(trueJ),
      beside(integralJ),
      estimate ? beside(estimate.energyJ) : `refused: ${refusedFor}`,
      estimate ? `${number(estimate.loJ)} - ${number(estimate.hiJ)}` : "-",
      estimate?.method ?? "-",
    ],
  ];
}
