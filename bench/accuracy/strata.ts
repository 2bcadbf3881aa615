import type { JudgedWindow } from "./judge.ts";

/** Windows of one kind. */
export interface Stratum {
  readonly name: string;
  readonly holds: (judged: JudgedWindow) => boolean;
}

export const LENGTHS: readonly Stratum[] = [
  { name: "1-2 s", holds: (one) => lengthMs(one) < 2000 },
  { name: "2-4 s", holds: (one) => lengthMs(one) >= 2000 && lengthMs(one) < 4000 },
  { name: "4-10 s", holds: (one) => lengthMs(one) >= 4000 },
];

/** By how far the worse edge is from quiet. */
export const DISTANCES: readonly Stratum[] = [
  { name: "in quiet", holds: ({ window }) => window.quietDistanceMs === 0 },
  { name: "< 2 s", holds: between(0, 2000) },
  { name: "2-6 s", holds: between(2000, 6000) },
  { name: "> 6 s", holds: between(6000, Number.POSITIVE_INFINITY) },
];

export function inFamily(
  judged: readonly JudgedWindow[],
  family: JudgedWindow["window"]["family"],
): readonly JudgedWindow[] {
  return judged.filter(({ window }) => window.family === family);
}

function lengthMs({ window }: JudgedWindow): number {
  return window.endMs - window.startMs;
}

function between(lowMs: number, highMs: number): Stratum["holds"] {
  return ({ window: { quietDistanceMs } }) => quietDistanceMs > lowMs && quietDistanceMs <= highMs;
}
