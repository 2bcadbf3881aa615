import type { SamplerCost } from "../energy/sampler-cost.ts";
import { RailSampler } from "../rails/sampler.ts";
import type { RailEvent, RailFacts } from "../rails/source.ts";

/**
 * One line of `rail.jsonl`: a segment begins; what is known of the rail; then what happened on it.
 * Lines are counted from behind the one that begins their segment.
 */
export type RailLine =
  | { readonly kind: "segment"; readonly segment: number }
  | { readonly kind: "facts"; readonly facts: RailFacts }
  | RailEvent;

/** A rail that is read again from the lines of one segment, as it was after each of them. */
export class RailReplay {
  #sampler: RailSampler | undefined;
  #cost: SamplerCost | undefined;
  #lines = 0;
  readonly #lastAtMs = new Map<string, number>();

  /** How many lines there were. */
  get lines(): number {
    return this.#lines;
  }

  /** The rail as it is by now; absent while nothing is known of it. */
  get sampler(): RailSampler | undefined {
    return this.#sampler;
  }

  /** What reading it cost; known only when it was stopped in order. */
  get cost(): SamplerCost | undefined {
    return this.#cost;
  }

  /**
   * Takes in the next line.
   *
   * @param line - `undefined` for one that could not be read: it has its place.
   * @returns why it is left out, where it is.
   */
  accept(line: Exclude<RailLine, { kind: "segment" }> | undefined): string | undefined {
    this.#lines++;
    if (line?.kind === "facts") this.#sampler ??= replayed(line.facts);
    else if (line?.kind === "stopped") this.#cost = line.cost;
    else if (line?.kind === "read" && !this.#isInOrder(line)) return "its readings go back in time";
    else if (line !== undefined) this.#sampler?.accept(line);
    return undefined;
  }

  #isInOrder({ samples }: Extract<RailLine, { kind: "read" }>): boolean {
    const last = new Map<string, number>();
    for (const { device = "", atMs } of samples) {
      const beforeMs = last.get(device) ?? this.#lastAtMs.get(device);
      if (beforeMs !== undefined && atMs < beforeMs) return false;
      last.set(device, atMs);
    }
    for (const [device, atMs] of last) this.#lastAtMs.set(device, atMs);
    return true;
  }
}

function replayed(facts: RailFacts): RailSampler {
  const stop = (): Promise<SamplerCost> => Promise.reject(new Error("a replay is not stopped"));
  const sampler = new RailSampler(facts, { drain() {}, stop });
  // A run holds what its windows need; here all of it is there again anyway.
  sampler.hold(Number.NEGATIVE_INFINITY);
  return sampler;
}
