import { nowMs } from "../clock.ts";
import type { RequestLine } from "../records/request-line.ts";
import type { PhaseName } from "../records/run-event.ts";
import type { CellPlan } from "../records/run-header.ts";
import type { RunNow } from "./run-progress.ts";
import { TokenRate } from "./token-rate.ts";

/** What goes on in a run right now, for whoever looks at it. */
export class RunScreen {
  cells = 0;
  #phase: PhaseName | undefined;
  #cell: CellPlan | undefined;
  #cellsDone = 0;
  #ended = 0;
  #failed = 0;
  #rate = new TokenRate();
  readonly #startedMs = nowMs();

  phase(phase: PhaseName): void {
    this.#phase = phase;
  }

  cellStarts(cell: CellPlan): void {
    this.#cell = cell;
    this.phaseStarts();
  }

  /** Counts are those of one phase. */
  phaseStarts(): void {
    this.#ended = 0;
    this.#failed = 0;
    this.#rate = new TokenRate();
  }

  cellEnds(): void {
    this.#cellsDone++;
  }

  ended({ state, completionTokens = 0, endMs }: RequestLine): void {
    this.#ended++;
    if (state === "error") this.#failed++;
    this.#rate.add(endMs, completionTokens);
  }

  /** @param powerW - what the rail shows, where there is one. */
  now(powerW: number | undefined): RunNow {
    const tokensPerS = this.#rate.perS(nowMs());
    const isLoading = this.#phase === "window" || this.#phase === "warm-up";
    return {
      ...(this.#phase === undefined ? {} : { phase: this.#phase }),
      ...(this.#cell === undefined ? {} : { cell: this.#cell }),
      cellsDone: this.#cellsDone,
      cells: this.cells,
      inFlight: isLoading ? (this.#cell?.concurrency ?? 0) : 0,
      endedRequests: this.#ended,
      failedRequests: this.#failed,
      ...(tokensPerS === undefined ? {} : { tokensPerS }),
      ...(powerW === undefined ? {} : { powerW }),
      startedMs: this.#startedMs,
    };
  }
}
