import type { FinishedStep } from "../core/engine-core.ts";
import type { SequenceProgress } from "../schedule/sequence.ts";
import { type Phases, SendQueue } from "./send-queue.ts";

/** Told of tokens when they are to be sent. */
export type Deliver = (progress: SequenceProgress, dueNs: number) => void;

/** Hands out the tokens of steps: all at the end of a step, or spread over the time of the next. */
export class PacedDelivery {
  readonly #queue: SendQueue | undefined;
  readonly #nowNs: () => number;
  readonly #deliver: Deliver;
  #timer: NodeJS.Timeout | undefined;

  constructor(phases: Phases, nowNs: () => number, deliver: Deliver) {
    this.#queue = phases === "spread" ? new SendQueue() : undefined;
    this.#nowNs = nowNs;
    this.#deliver = deliver;
  }

  /** @param progress - of the step, as far as someone waits for it. */
  take({ startNs, endNs }: FinishedStep, progress: readonly SequenceProgress[]): void {
    if (this.#queue) {
      this.#queue.push(progress, endNs, endNs - startNs);
      this.#drain(this.#queue);
    } else {
      for (const one of progress) this.#deliver(one, endNs);
    }
  }

  forget(id: number): void {
    this.#queue?.forget(id);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #drain(queue: SendQueue): void {
    clearTimeout(this.#timer);
    for (const { progress, dueNs } of queue.take(this.#nowNs())) this.#deliver(progress, dueNs);
    if (queue.nextNs !== undefined) this.#timer = setTimeout(() => this.#drain(queue), 1);
  }
}
