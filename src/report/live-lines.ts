import type { RunNow } from "../benchmarks/run-progress.ts";
import type { PhaseName } from "../records/run-event.ts";
import { cleanText, shorten } from "./clean-text.ts";
import { clockTime, roughDuration } from "./duration.ts";
import { number, shortNumber } from "./figure.ts";

/** What the live display shows, beside what can be asked of the run. */
export interface LiveFacts {
  readonly now: RunNow;
  /** On the clock of the run. */
  readonly atMs: number;
  /** When the phase began, and how long it will take where that is known. */
  readonly phaseStartMs: number;
  readonly phaseS?: number;
  /** About how long the whole run still takes, where that can be said. */
  readonly runLeftS?: number;
}

export const PHASE_WORDS: Readonly<Record<PhaseName, string>> = {
  probe: "asking the server",
  calibrate: "making prompts of the right length",
  baseline: "idle baseline",
  "warm-up": "warm-up",
  settle: "quiet time",
  window: "measuring",
};

/** A part of a line, and how much it is worth: the lowest rank gives way first. */
type Part = readonly [text: string | undefined, rank: number];

/** The live display: two lines, none of them wider than asked for. */
export function liveLines(facts: LiveFacts, width: number): readonly [string, string] {
  const { now } = facts;
  const { phase, cell } = now;
  const share = shareOf(facts);
  const place = Math.min(now.cellsDone + 1, now.cells);
  const barWidth = Math.min(24, Math.floor(width / 5));
  const first = fitParts(
    [
      [cell === undefined ? undefined : `${place}/${now.cells}`, 8],
      [cell === undefined ? undefined : shorten(cleanText(cell.label), 30), 7],
      [phase === undefined ? "starting" : PHASE_WORDS[phase], 9],
      [share === undefined ? undefined : bar(share, barWidth), 3],
      [countWords(facts), 5],
      [leftWords(facts), 4],
    ],
    width,
  );
  return [first, fitParts(figureParts(facts), width)];
}

function figureParts({ now, atMs, runLeftS }: LiveFacts): readonly Part[] {
  const { tokensPerS, powerW, inFlight, failedRequests, startedMs } = now;
  // Once no request is sent, the last rate would stand there as if it held still.
  const isLoaded = hasRequests(now);
  const left = runLeftS === undefined ? "" : `, about ${roughDuration(runLeftS)} left`;
  return [
    [inFlight === 0 ? undefined : `${number(inFlight, 0)} in flight`, 5],
    [isLoaded && tokensPerS !== undefined ? `${shortNumber(tokensPerS)} tok/s` : undefined, 8],
    [powerW === undefined ? undefined : `${shortNumber(powerW)} W`, 7],
    [failedRequests === 0 ? undefined : `${number(failedRequests, 0)} FAILED`, 9],
    [`${clockTime((atMs - startedMs) / 1000)}${left}`, 6],
  ];
}

/** How much of the phase is done, from 0 to 1. */
function shareOf({ now, atMs, phaseStartMs, phaseS }: LiveFacts): number | undefined {
  const { phase, cell, endedRequests } = now;
  const byTime = (seconds: number): number => (atMs - phaseStartMs) / 1000 / seconds;
  if (phase === "window" && cell?.durationS !== undefined) return byTime(cell.durationS);
  if (phase === "window" && cell?.requests) return endedRequests / cell.requests;
  return phaseS === undefined || phaseS <= 0 ? undefined : byTime(phaseS);
}

function countWords({ now }: LiveFacts): string | undefined {
  const { phase, cell, endedRequests } = now;
  if (!hasRequests(now)) return undefined;
  const of = phase === "window" && cell?.requests ? ` of ${number(cell.requests, 0)}` : "";
  return `${number(endedRequests, 0)}${of} done`;
}

function hasRequests({ phase }: RunNow): boolean {
  return phase === "window" || phase === "warm-up";
}

/** Time left in the phase, where it is known: by its length, or by the pace of its requests. */
function leftWords(facts: LiveFacts): string | undefined {
  const { now, atMs, phaseStartMs, phaseS } = facts;
  const goneS = (atMs - phaseStartMs) / 1000;
  const wholeS = now.phase === "window" ? (now.cell?.durationS ?? phaseS) : phaseS;
  if (wholeS !== undefined)
    return wholeS > goneS ? `${roughDuration(wholeS - goneS)} left` : undefined;
  const share = shareOf(facts);
  if (share === undefined || share < 0.15 || share >= 1) return undefined;
  return `about ${roughDuration((goneS * (1 - share)) / share)} left`;
}

function bar(share: number, width: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width);
  return "━".repeat(full) + "╌".repeat(width - full);
}

const BETWEEN = " · ";

function fitParts(parts: readonly Part[], width: number): string {
  let kept = parts.filter((part): part is readonly [string, number] => part[0] !== undefined);
  const lineOf = (): string => kept.map(([text]) => text).join(BETWEEN);
  while (kept.length > 1 && lineOf().length > width) {
    const least = Math.min(...kept.map(([, rank]) => rank));
    kept = kept.filter(([, rank]) => rank !== least);
  }
  return lineOf().slice(0, Math.max(0, width));
}
