import type { SequenceProgress } from "../schedule/sequence.ts";

/** Tokens of one sequence, and when they are to be sent. */
export interface DueTokens {
  readonly dueNs: number;
  readonly progress: SequenceProgress;
}

/** How the tokens of one step are sent: all at its end, or spread over the time of a step. */
export type Phases = "together" | "spread";

/** The golden ratio's fraction: ids that follow each other get phases far apart. */
const PHASE_STEP = 0.6180339887498949;

/**
 * Holds the tokens of streams that have each a phase of their own within a step, in the order in
 * which they are due. A stream's own tokens keep their order.
 */
export class SendQueue {
  readonly #lastDueNs = new Map<number, number>();
  #pending: DueTokens[] = [];

  /** @returns when the first is due. */
  get nextNs(): number | undefined {
    return this.#pending[0]?.dueNs;
  }

  push(progress: readonly SequenceProgress[], endNs: number, stepNs: number): void {
    for (const one of progress) {
      const phase = (one.id * PHASE_STEP) % 1;
      const lastNs = this.#lastDueNs.get(one.id) ?? 0;
      const dueNs = Math.max(lastNs, Math.round(endNs + phase * stepNs));
      if (one.isLast) this.#lastDueNs.delete(one.id);
      else this.#lastDueNs.set(one.id, dueNs);
      this.#pending.push({ dueNs, progress: one });
    }
    this.#pending.sort((left, right) => left.dueNs - right.dueNs);
  }

  /** What is due at `nowNs`, taken out. */
  take(nowNs: number): readonly DueTokens[] {
    const firstLater = this.#pending.findIndex(({ dueNs }) => dueNs > nowNs);
    return this.#pending.splice(0, firstLater < 0 ? this.#pending.length : firstLater);
  }

  forget(id: number): void {
    this.#lastDueNs.delete(id);
  }
}
