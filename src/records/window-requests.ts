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
  /** Of the requests that are there. */
  readonly counts: CellRequests["counts"];
}

/** What requests tell of the cells of a run. */
export interface SeenRequests {
  readonly windows: ReadonlyMap<number, SeenWindow>;
  /** How requests ended of cells that were begun but whose window never was over. */
  readonly cutOff: ReadonlyMap<number, CellRequests["counts"]>;
}

/** Of a window that was never over nothing but counts is said. */
const NO_WINDOW = { startMs: 0, endMs: 0, notSent: 0 };

/** Gives the requests of a run to the windows that they belong to, in the order in which they stand. */
export class WindowRequests {
  readonly #plans: readonly CellPlan[];
  readonly #windows: RunSegments["windows"];
  readonly #segments = new Map<number, number>();
  readonly #accumulators = new Map<number, CellAccumulator>();

  constructor(plans: readonly CellPlan[], { windows, started }: RunSegments) {
    this.#plans = plans;
    this.#windows = windows;
    for (const plan of plans) {
      const window = windows.get(plan.cell);
      const segment = window?.segment ?? started.get(plan.cell);
      if (segment === undefined) continue;
      this.#segments.set(plan.cell, segment);
      this.#accumulators.set(plan.cell, new CellAccumulator(plan, window?.event.steadyStepMs));
    }
  }

  add(line: RequestLine): void {
    if (this.#segments.get(line.cell) !== line.segment) return;
    this.#accumulators.get(line.cell)?.add(line);
  }

  finish(damage: Damage): SeenRequests {
    const seen = new Map<number, SeenWindow>();
    const cutOff = new Map<number, CellRequests["counts"]>();
    for (const [cell, accumulator] of this.#accumulators) {
      const window = this.#windows.get(cell);
      if (window === undefined) {
        cutOff.set(cell, accumulator.finish(NO_WINDOW).counts);
        continue;
      }
      const { segment, event } = window;
      const plan = this.#plans[cell]!;
      const found = accumulator.finish(event);
      const there = requestsOf(found.counts);
      const isWhole = there === event.requests;
      if (!isWhole) {
        damage.tell(
          `requests.jsonl: ${there} lines of the ${event.requests} requests of cell ${cell} (${plan.label}) are there`,
        );
      }
      const requests = isWhole ? found : undefined;
      seen.set(cell, { plan, segment, event, requests, counts: found.counts });
    }
    return { windows: seen, cutOff };
  }
}

/** All requests that a window is known to have sent. */
function requestsOf({ ok, failed, cancelled = 0 }: NonNullable<CellRecord["counts"]>): number {
  return ok + failed + cancelled;
}
