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

/**
 * A rail that is read again from its lines, so that windows are judged as they were when so many
 * lines were there.
 */
export class RailReplay {
  readonly #lines: readonly RailLine[];
  #next = 0;
  #sampler: RailSampler | undefined;
  #cost: SamplerCost | undefined;

  /** @param lines - of one segment. */
  constructor(lines: readonly RailLine[]) {
    this.#lines = lines;
  }

  /** The rail as it was when `count` of its lines were there; it never goes back. */
  at(count: number): RailSampler | undefined {
    for (; this.#next < Math.min(count, this.#lines.length); this.#next++) {
      const line = this.#lines[this.#next]!;
      if (line.kind === "facts") this.#sampler ??= replayed(line.facts);
      else if (line.kind === "segment") continue;
      else if (line.kind === "stopped") this.#cost = line.cost;
      else this.#sampler?.accept(line);
    }
    return this.#sampler;
  }

  /** What reading it cost; known only when all lines were taken in and it was stopped in order. */
  get cost(): SamplerCost | undefined {
    this.at(this.#lines.length);
    return this.#cost;
  }
}

function replayed(facts: RailFacts): RailSampler {
  const stop = (): Promise<SamplerCost> => Promise.reject(new Error("a replay is not stopped"));
  return new RailSampler(facts, { drain() {}, stop });
}
