import type { LoadPlan } from "./load-plan.ts";
import type { ThreadLoop } from "./messages.ts";

/**
 * Each thread's part of a plan, in the order of the threads; the parts add up to the plan exactly.
 *
 * A closed loop's slots are dealt out as evenly as they go; its requests are not, since all threads
 * take them from one counter. An open loop's requests go round.
 *
 * @returns `undefined` for a thread that has nothing to do.
 */
export function splitPlan(
  plan: LoadPlan,
  threads: number,
  startMs: number,
): readonly (ThreadLoop | undefined)[] {
  return Array.from({ length: threads }, (_, thread) =>
    plan.kind === "closed"
      ? closedPart(plan, threads, thread, startMs)
      : openPart(plan.dueMs, threads, thread),
  );
}

function closedPart(
  { concurrency, durationMs }: Extract<LoadPlan, { kind: "closed" }>,
  threads: number,
  thread: number,
  startMs: number,
): ThreadLoop | undefined {
  const slots = Math.floor(concurrency / threads) + (thread < concurrency % threads ? 1 : 0);
  if (slots === 0) return undefined;
  return {
    kind: "closed",
    slots,
    ...(durationMs === undefined ? {} : { untilMs: startMs + durationMs }),
  };
}

function openPart(
  dueMs: readonly number[] | Float64Array,
  threads: number,
  thread: number,
): ThreadLoop | undefined {
  const count = Math.ceil((dueMs.length - thread) / threads);
  if (count <= 0) return undefined;
  const indexes = Int32Array.from({ length: count }, (_, i) => thread + i * threads);
  return { kind: "open", indexes, dueMs: Float64Array.from(indexes, (index) => dueMs[index]!) };
}
