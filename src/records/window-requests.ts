import { CellAccumulator, type CellRequests } from "./cell-accumulator.ts";
import type { Damage } from "./damage.ts";
import type { RequestLine } from "./request-line.ts";
import type { CellPlan } from "./run-header.ts";
import type { CellRecord } from "./run-record.ts";
import type { RunSegments, WindowEvent } from "./run-segments.ts";

/** The window of a cell that counts, and what its requests tell. */
export interface SeenWindow {
  readonly plan: CellPlan;
  readonly segment: number;
  readonly event: WindowEvent;
  /** Absent where some of its requests are missing: what is left would give wrong sums. */
  readonly requests: CellRequests | undefined;
}

/** Gives the requests of a run to the windows that they belong to, in the order in which they stand. */
export class WindowRequests {
  readonly #plans: readonly CellPlan[];
  readonly #windows: RunSegments["windows"];
  readonly #accumulators = new Map<number, CellAccumulator>();

  constructor(plans: readonly CellPlan[], { windows }: RunSegments) {
    this.#plans = plans;
    this.#windows = windows;
    for (const plan of plans) {
      if (windows.has(plan.cell)) this.#accumulators.set(plan.cell, new CellAccumulator(plan));
    }
  }

  add(line: RequestLine): void {
    if (this.#windows.get(line.cell)?.segment !== line.segment) return;
    this.#accumulators.get(line.cell)?.add(line);
  }

  finish(damage: Damage): ReadonlyMap<number, SeenWindow> {
    const seen = new Map<number, SeenWindow>();
    for (const [cell, accumulator] of this.#accumulators) {
      const { segment, event } = this.#windows.get(cell)!;
      const plan = this.#plans[cell]!;
      const found = accumulator.finish(event);
      const there = requestsOf(found.counts);
      const isWhole = there === event.requests;
      if (!isWhole) {
        damage.tell(
          `requests.jsonl: ${there} lines of the ${event.requests} requests of cell ${cell} (${plan.label}) are there`,
        );
      }
      seen.set(cell, { plan, segment, event, requests: isWhole ? found : undefined });
    }
    return seen;
  }
}

/** All requests that a window is known to have sent. */
function requestsOf({ ok, failed, cancelled = 0 }: NonNullable<CellRecord["counts"]>): number {
  return ok + failed + cancelled;
}
