import type { Refusal } from "../energy/rail-refusal.ts";
import type { CellRequests } from "./cell-accumulator.ts";
import type { Reason, ReasonCode } from "./run-record.ts";

/** A prompt counts as known to the cache, or as new to it, from these shares on. */
const WARM_SHARE = 0.5;
const COLD_SHARE = 0.1;
/** A chat template alone may fill a cache block or two. */
const TEMPLATE_TOKENS = 32;

/** Times are rounded, and threads do not agree on them to the last µs. */
export const MOST_OUTSIDE_MS = 1;

const STOPPED_WORDS: Readonly<Record<string, string>> = {
  first_requests_failed: "the first requests all failed",
  requests_keep_failing: "one request after the other failed",
  target_gone: "the target was gone",
  thread_lost: "a load thread was lost",
};

/** Every reason why figures of a cell are absent, or why it is not to be compared. */
export function cellReasons(requests: CellRequests, rail: readonly Refusal[]): readonly Reason[] {
  return [...rail, ...tokenReasons(requests), ...comparisonReasons(requests)];
}

function tokenReasons({ tokens, counts, end }: CellRequests): readonly Reason[] {
  const { output, why } = tokens.whole;
  if (output !== undefined) {
    const outsideMs = tokens.outsideMs(end);
    if (outsideMs <= MOST_OUTSIDE_MS) return [];
    const detail = `tokens came up to ${outsideMs.toFixed(0)} ms outside of the window: tokens and joules are of different intervals`;
    return [{ reason: "tokens_mismatch", refuses: "per_token", detail }];
  }
  if (counts.ok + counts.failed === 0) return [];
  const detail = `${why.no_events ?? 0} replies told tokens that no event brought: nobody knows when they came`;
  return [{ reason: "tokens_unknown", refuses: "per_token", detail }];
}

function comparisonReasons(requests: CellRequests): readonly Reason[] {
  const { counts, tokens, plan, end } = requests;
  const reasons: Reason[] = [];
  const add = (reason: ReasonCode, detail: string): void => {
    reasons.push({ reason, refuses: "comparison", detail });
  };
  if (end.stopped === "interrupted") {
    add("interrupted", `the window was interrupted with ${counts.notSent} requests not sent`);
  } else if (end.stopped !== undefined) {
    const why = STOPPED_WORDS[end.stopped] ?? end.stopped;
    const unsent = counts.notSent > 0 ? `, ${counts.notSent} requests were not sent` : "";
    add("errors", `the load was stopped: ${why}${unsent}`);
  }
  if (counts.failed > 0) {
    const kinds = Object.entries(counts.failedByKind).map(([kind, count]) => `${count} ${kind}`);
    add(
      "errors",
      `${counts.failed} of ${counts.ok + counts.failed} requests failed: ${kinds.join(", ")}; the first: ${requests.firstFailure}`,
    );
  }
  const { output, why } = tokens.whole;
  if (output !== undefined && why.count_not_told !== undefined) {
    add(
      "tokens_estimated",
      `${why.count_not_told} of ${counts.ok} replies have no count from the server: tokens are counted from events`,
    );
  }
  if (tokens.short > 0) {
    add(
      "short_completions",
      `${tokens.short} of ${counts.ok} replies were shorter than the ${plan.outputTokens} tokens asked for, the shortest ${tokens.minCompletion}`,
    );
  }
  const cache = cacheProblem(requests);
  if (cache !== undefined) add("cache_uncontrolled", cache);
  if (end.health?.isSaturated) add("client_saturated", end.health.why.join("; "));
  return reasons;
}

function cacheProblem({ plan, tokens, counts }: CellRequests): string | undefined {
  if (plan.cache === "any" || counts.ok === 0) return undefined;
  const shares = tokens.cachedShares;
  if (plan.cache === "cold") {
    if (shares === undefined || shares.max <= COLD_SHARE) return undefined;
    if (tokens.mostCached <= TEMPLATE_TOKENS) return undefined;
    return `prompts were to be new to the server, and its cache had up to ${percent(shares.max)} of one`;
  }
  if (shares === undefined || tokens.cachedPrompt === undefined) {
    return "prompts were to be in the server's cache, and it does not say of each whether it was";
  }
  if (shares.min >= WARM_SHARE) return undefined;
  return `prompts were to be in the server's cache, and it had only ${percent(shares.min)} of one`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
