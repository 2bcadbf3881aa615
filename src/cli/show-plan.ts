import type { Command } from "commander";
import { estimateRunS, GUESSED_RATES } from "../benchmarks/estimate-time.ts";
import { type PlanFacts, planTable } from "../report/plan-table.ts";
import type { BenchmarkFlags } from "./benchmark-flags.ts";
import type { Output } from "./output.ts";
import { targetOf } from "./resolve-flags.ts";
import { settleSeconds } from "./settle-flags.ts";

/** Shows what would be run; nothing is sent. @returns the exit code. */
export function showPlan(
  plan: Omit<PlanFacts, "requestUrl" | "settleMs" | "hasRail">,
  command: Command,
  flags: BenchmarkFlags,
  output: Output,
): number {
  const requestUrl = targetOf(flags)?.shownUrl;
  const settle = settleSeconds(command);
  const facts: PlanFacts = {
    ...plan,
    ...(settle === undefined ? {} : { settleMs: settle * 1000 }),
    hasRail: flags.rail !== "none",
    ...(requestUrl === undefined ? {} : { requestUrl }),
  };
  output.result(
    flags.json ? JSON.stringify(planJson(facts), null, 2) : planTable(facts, output.resultLook),
  );
  return 0;
}

function planJson(plan: PlanFacts): object {
  const { benchmark, cells, requestUrl } = plan;
  const [atLeastS, atMostS] = [GUESSED_RATES.fast, GUESSED_RATES.slow].map((tokensPerS) =>
    estimateRunS(cells, { ...plan, tokensPerS }),
  );
  return {
    schema: "joulemark.plan/1",
    benchmark,
    ...(requestUrl === undefined ? {} : { requestUrl }),
    cells,
    guess: { atLeastS, atMostS },
  };
}
