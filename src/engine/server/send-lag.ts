import { createHistogram } from "node:perf_hooks";

/** How late tokens were sent, against the schedule. */
export class SendLag {
  readonly #histogram = createHistogram();

  record(lagNs: number): void {
    this.#histogram.record(Math.max(1, Math.round(lagNs)));
  }

  /** In ms; absent before the first token. */
  summary():
    | { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number }
    | undefined {
    if (this.#histogram.count === 0) return undefined;
    return {
      p50Ms: this.#histogram.percentile(50) / 1e6,
      p99Ms: this.#histogram.percentile(99) / 1e6,
      maxMs: this.#histogram.max / 1e6,
    };
  }

  reset(): void {
    this.#histogram.reset();
  }
}
