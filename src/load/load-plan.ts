import { JoulemarkError } from "../errors.ts";

/** When requests are sent. */
export type LoadPlan = ClosedLoop | OpenLoop;

/** So many in flight all the time: a finished request is replaced at once. */
export interface ClosedLoop {
  readonly kind: "closed";
  readonly concurrency: number;
  /** How many requests in all; absent: as many as the duration has room for. */
  readonly requests?: number;
  /** No request starts after this time, in ms; those in flight are waited for. */
  readonly durationMs?: number;
}

/** Sent at times fixed in advance, whatever the replies do. */
export interface OpenLoop {
  readonly kind: "open";
  /** When each request is due, in ms from the start, in ascending order. */
  readonly dueMs: readonly number[] | Float64Array;
}

/** How many requests the plan has; `undefined` when only its duration ends it. */
export function plannedRequests(plan: LoadPlan): number | undefined {
  return plan.kind === "open" ? plan.dueMs.length : plan.requests;
}

/** @throws {JoulemarkError} `bad_option` for a plan that cannot be run, naming what is wrong. */
export function checkPlan(plan: LoadPlan): void {
  if (plan.kind === "open") checkDueTimes(plan.dueMs);
  else checkClosedLoop(plan);
}

function checkClosedLoop({ concurrency, requests, durationMs }: ClosedLoop): void {
  if (!isCount(concurrency))
    throw badPlan(`a concurrency of ${concurrency}`, "a whole number from 1 on");
  if (requests === undefined && durationMs === undefined)
    throw badPlan("a closed loop without an end", "a number of requests, a duration, or both");
  if (requests !== undefined && !isCount(requests))
    throw badPlan(`${requests} requests`, "a whole number from 1 on");
  if (durationMs !== undefined && !(durationMs > 0 && Number.isFinite(durationMs)))
    throw badPlan(`a duration of ${durationMs} ms`, "more than 0 ms");
}

function checkDueTimes(dueMs: OpenLoop["dueMs"]): void {
  if (dueMs.length === 0) throw badPlan("an open loop without a request", "at least one due time");
  for (let i = 0; i < dueMs.length; i++) {
    const isInOrder = dueMs[i]! >= (dueMs[i - 1] ?? 0);
    if (!isInOrder || !Number.isFinite(dueMs[i]))
      throw badPlan(`a request due at ${dueMs[i]} ms`, "finite times ≥ 0 in ascending order");
  }
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}

function badPlan(what: string, right: string): JoulemarkError {
  return new JoulemarkError("bad_option", `${what} cannot be run: give ${right}`);
}
