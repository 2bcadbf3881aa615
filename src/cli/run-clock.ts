import { estimateCellS } from "../benchmarks/estimate-time.ts";
import type { RunNow, RunProgress } from "../benchmarks/run-progress.ts";
import type { CellPlan } from "../records/run-header.ts";
import type { LiveFacts } from "../report/live-lines.ts";

/** Any rate does, since what the done cells took is held against it. */
const TOKENS_PER_S = 50;

/** When the phases of a run began, and about how long it still takes. */
export class RunClock {
  #phaseStartMs = 0;
  #phaseS: number | undefined;
  #plans: readonly CellPlan[] = [];
  #current: { readonly plan: CellPlan; readonly startMs: number } | undefined;
  /** What the cells that are done took, and what was estimated for them, in s. */
  #tookS = 0;
  #estimatedS = 0;

  note(progress: RunProgress, atMs: number): void {
    if (progress.kind === "started") this.#plans = progress.header.cells;
    else if (progress.kind === "cell") this.#cellDone(progress.record, atMs);
    else if (progress.kind === "phase") {
      const { cell, aboutS } = progress;
      this.#phaseStartMs = atMs;
      this.#phaseS = aboutS;
      if (cell !== undefined && cell.cell !== this.#current?.plan.cell)
        this.#current = { plan: cell, startMs: atMs };
    }
  }

  facts(now: RunNow, atMs: number): LiveFacts {
    const runLeftS = this.#leftS(now, atMs);
    return {
      now,
      atMs,
      phaseStartMs: this.#phaseStartMs === 0 ? now.startedMs : this.#phaseStartMs,
      ...(this.#phaseS === undefined ? {} : { phaseS: this.#phaseS }),
      ...(runLeftS === undefined ? {} : { runLeftS }),
    };
  }

  #cellDone(plan: CellPlan, atMs: number): void {
    if (this.#current?.plan.cell !== plan.cell) return;
    this.#tookS += (atMs - this.#current.startMs) / 1000;
    this.#estimatedS += estimateS(plan);
    this.#current = undefined;
  }

  /** The estimate of what is missing, times how wrong it was so far. */
  #leftS({ cells, cellsDone }: RunNow, atMs: number): number | undefined {
    if (this.#estimatedS <= 0 || this.#plans.length === 0) return undefined;
    const pace = this.#tookS / this.#estimatedS;
    const missing = this.#plans.slice(this.#plans.length - (cells - cellsDone));
    const wholeS = pace * missing.reduce((sum, plan) => sum + estimateS(plan), 0);
    const goneS = this.#current === undefined ? 0 : (atMs - this.#current.startMs) / 1000;
    return cells === cellsDone ? undefined : Math.max(0, wholeS - goneS);
  }
}

function estimateS(plan: CellPlan): number {
  return estimateCellS(plan, { tokensPerS: TOKENS_PER_S, warmup: { rounds: 1 } });
}
