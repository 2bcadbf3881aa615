import { type Refusal, refusal } from "../energy/rail-refusal.ts";
import type { WindowFindings } from "./load-response.ts";

/** A process that is not the server's and has a context on one of its GPUs. */
export interface ForeignProcess {
  readonly pid: number;
  /** As people are told of it: `pid 7 (python3)`. */
  readonly label: string;
  /** Of its work over about the last second, in percent; absent where the driver tells none. */
  readonly smPercent?: number;
}

/** The foreign processes of one moment in which nothing of the run was in flight. */
export type ForeignLook = readonly ForeignProcess[];

/**
 * What two looks say of the window between them.
 *
 * Whoever worked just before it or just after it is taken to have worked in it. Of one that came or
 * went, and whose work was never seen, nobody knows.
 */
export function foreignWork(before: ForeignLook | undefined, after: ForeignLook): WindowFindings {
  const working = [...new Map([...(before ?? []), ...after].filter(isWorking).map(byPid)).values()];
  const came = before === undefined ? [] : without(after, [...before, ...working]);
  const gone = without(before ?? [], [...after, ...working]);
  return {
    reasons: working.length === 0 ? [] : [foreignLoad(working)],
    warnings: [
      ...came.map(({ label }) => comeOrGone(`${label} came to`)),
      ...gone.map(({ label }) => comeOrGone(`${label} left`)),
    ],
  };
}

/** Whether the driver says that it works. */
export function isWorking({ smPercent = 0 }: ForeignProcess): boolean {
  return smPercent > 0;
}

/** Processes and how much they work, for people. */
function workText(working: readonly ForeignProcess[]): string {
  return working.map(({ label, smPercent }) => `${label}, ${smPercent} % of the time`).join("; ");
}

function foreignLoad(working: readonly ForeignProcess[]): Refusal {
  return refusal(
    "rail_foreign_load",
    `another process worked on the serving GPUs while nothing of this run was in flight (${workText(working)}): its energy cannot be told from the server's; stop it, or serve on a GPU of its own`,
  );
}

function comeOrGone(what: string): string {
  return `${what} the serving GPUs between the looks around this window: if it worked, its energy is in the number`;
}

function without(some: ForeignLook, others: ForeignLook): ForeignLook {
  return some.filter(({ pid }) => !others.some((other) => other.pid === pid));
}

function byPid(process: ForeignProcess): readonly [number, ForeignProcess] {
  return [process.pid, process];
}
