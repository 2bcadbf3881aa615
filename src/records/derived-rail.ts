import type { EnergyWindow } from "../energy/energy-window.ts";
import type { Refusal } from "../energy/rail-refusal.ts";
import type { SamplerCost } from "../energy/sampler-cost.ts";
import type { RailFacts } from "../rails/source.ts";

/** What a rail comes to, beside its cells. */
export interface DerivedRail {
  readonly facts?: RailFacts;
  readonly idle?: EnergyWindow;
  readonly cost?: SamplerCost;
  /** Why there is no rail, or no idle baseline. */
  readonly reasons: readonly Refusal[];
  readonly warnings: readonly string[];
}

/** What stands for a run: the last of its segments that had a rail, with the words of all of them. */
export function runRail(rails: readonly DerivedRail[]): DerivedRail {
  const main = rails.findLast(({ facts }) => facts !== undefined) ?? rails.at(-1);
  return {
    ...main,
    reasons: distinct(rails.flatMap(({ reasons }) => reasons)),
    warnings: distinct(rails.flatMap(({ warnings }) => warnings)),
  };
}

function distinct<T>(values: readonly T[]): readonly T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
