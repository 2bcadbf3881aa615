import type { CellEnd } from "../../../src/records/cell-accumulator.ts";
import type { RequestLine } from "../../../src/records/request-line.ts";
import type { CellPlan } from "../../../src/records/run-header.ts";

/** A cell of two slots, whatever else the test wants of it. */
export function planOf(plan: Partial<CellPlan> = {}): CellPlan {
  return {
    cell: 0,
    repeat: 0,
    label: "2 at once",
    prefix: "c2_",
    concurrency: 2,
    requests: 4,
    inputTokens: 100,
    outputTokens: 3,
    cache: "cold",
    ...plan,
  };
}

/**
 * A request that ended well: sent at `fromMs`, first token 100 ms later, three tokens 50 ms apart,
 * and over with the last of them, so that it takes 200 ms.
 */
export function lineOf(
  index: number,
  fromMs: number,
  more: Partial<RequestLine> = {},
): RequestLine {
  return {
    cell: 0,
    segment: 0,
    phase: "window",
    index,
    state: "ok",
    httpStatus: 200,
    startedMs: fromMs,
    sentMs: fromMs,
    firstTokenMs: fromMs + 100,
    lastTokenMs: fromMs + 200,
    endMs: fromMs + 200,
    promptTokens: 100,
    completionTokens: 3,
    tokenSource: "usage",
    tokenEvents: 3,
    sharedReadEvents: 0,
    gapsUs: [50_000, 50_000],
    ...more,
  };
}

/** A request that failed before anything came; what a good one has beside that is taken away. */
export function failedLine(
  index: number,
  fromMs: number,
  more: Partial<RequestLine> = {},
): RequestLine {
  return {
    cell: 0,
    segment: 0,
    phase: "window",
    index,
    state: "error",
    errorKind: "http_status",
    message: "503",
    startedMs: fromMs,
    sentMs: fromMs,
    endMs: fromMs + 10,
    tokenSource: "absent",
    tokenEvents: 0,
    sharedReadEvents: 0,
    ...more,
  };
}

/** A window from 0 to 1 s that ended as planned. */
export function endOf(end: Partial<CellEnd> = {}): CellEnd {
  return { startMs: 0, endMs: 1000, notSent: 0, ...end };
}
