import { describe, expect, test } from "vitest";
import { refusal } from "../../src/energy/rail-refusal.ts";
import { CellAccumulator, type CellEnd } from "../../src/records/cell-accumulator.ts";
import { cellReasons } from "../../src/records/cell-reasons.ts";
import type { RequestLine } from "../../src/records/request-line.ts";
import type { CellPlan } from "../../src/records/run-header.ts";
import { endOf, failedLine, lineOf, planOf } from "./support/lines.ts";

interface Told {
  readonly plan?: Partial<CellPlan>;
  readonly end?: Partial<CellEnd>;
  /** Whether the plan asks for a length of replies; default true. */
  readonly hasLength?: boolean;
}

function reasonsOf(
  lines: readonly RequestLine[],
  { plan, end, hasLength = true }: Told = {},
): string[] {
  const { outputTokens: _length, ...withoutLength } = planOf(plan);
  const accumulator = new CellAccumulator(hasLength ? planOf(plan) : withoutLength);
  for (const line of lines) accumulator.add(line);
  return cellReasons(accumulator.finish(endOf(end)), []).map(
    ({ reason, refuses }) => `${reason} refuses ${refuses}`,
  );
}

const cached = (...shares: number[]): RequestLine[] =>
  shares.map((share, i) =>
    lineOf(i, 0, { promptTokens: 1000, cachedPromptTokens: Math.round(share * 1000) }),
  );
const untold = lineOf(9, 0);
const silent = ({ firstTokenMs: _first, gapsUs: _gaps, ...line }: RequestLine): RequestLine => line;
const uncounted = (index: number): RequestLine => {
  const { completionTokens: _told, ...line } = lineOf(index, 0);
  return line;
};
const CUT_OFF = { state: "error", errorKind: "timeout" } as const;
const ESTIMATED = "tokens_estimated refuses comparison";
const MISMATCH = "tokens_mismatch refuses per_token";
const health = (isSaturated: boolean) => ({
  windowS: 1,
  threads: [],
  sendLagMs: { n: 0 },
  isSaturated,
  why: isSaturated ? ["thread 0 was busy"] : [],
});

const UNCONTROLLED = "cache_uncontrolled refuses comparison";
const ERRORS = "errors refuses comparison";

describe("a cell", () => {
  test.each<readonly [string, readonly RequestLine[], Told, readonly string[]]>([
    ["whose requests all ended as asked", [lineOf(0, 0)], {}, []],
    ["without requests", [], {}, []],
    ["with a failed request", [lineOf(0, 0), failedLine(1, 0)], {}, [ERRORS]],
    [
      "with tokens that no event brought",
      [silent(lineOf(0, 0))],
      {},
      ["tokens_unknown refuses per_token"],
    ],
    ["with a reply that the server did not count", [uncounted(0)], {}, [ESTIMATED]],
    [
      "with a failed request whose tokens are its events",
      [lineOf(0, 0), { ...uncounted(1), ...CUT_OFF }],
      {},
      [ERRORS],
    ],
    ["with tokens before its window", [lineOf(0, 0)], { end: { startMs: 102 } }, [MISMATCH]],
    ["with tokens after its window", [lineOf(0, 0)], { end: { endMs: 198 } }, [MISMATCH]],
    ["with tokens at most 1 ms outside", [lineOf(0, 0)], { end: { startMs: 101, endMs: 199 } }, []],
    [
      "with a reply of no tokens",
      [silent(lineOf(0, 0, { completionTokens: 0 }))],
      { plan: { outputTokens: 0 } },
      [],
    ],
    [
      "with a short reply",
      [lineOf(0, 0, { completionTokens: 2 })],
      {},
      ["short_completions refuses comparison"],
    ],
    ["with a reply as long as asked", [lineOf(0, 0, { completionTokens: 3 })], {}, []],
    ["with a longer reply", [lineOf(0, 0, { completionTokens: 4 })], {}, []],
    [
      "whose workload sets no length",
      [lineOf(0, 0, { completionTokens: 1 })],
      { hasLength: false },
      [],
    ],
    [
      "with a busy client",
      [lineOf(0, 0)],
      { end: { health: health(true) } },
      ["client_saturated refuses comparison"],
    ],
    ["with a client that was not busy", [lineOf(0, 0)], { end: { health: health(false) } }, []],
    [
      "that was interrupted",
      [lineOf(0, 0)],
      { end: { stopped: "interrupted" } },
      ["interrupted refuses comparison"],
    ],
    ["whose load was lost", [lineOf(0, 0)], { end: { stopped: "thread_lost" } }, [ERRORS]],
  ])("%s", (_what, lines, told, expected) => {
    expect(reasonsOf(lines, told)).toEqual(expected);
  });

  test.each<readonly [CellPlan["cache"], string, readonly RequestLine[], readonly string[]]>([
    ["cold", "and is", cached(0, 0.02), []],
    ["cold", "up to a tenth", cached(0.1), []],
    ["cold", "and is not", cached(0, 0.11), [UNCONTROLLED]],
    ["cold", "but for the template's tokens", [lineOf(0, 0, { cachedPromptTokens: 32 })], []],
    [
      "cold",
      "and more than a template is known",
      [lineOf(0, 0, { cachedPromptTokens: 33 })],
      [UNCONTROLLED],
    ],
    ["cold", "and the server says nothing", [untold], []],
    ["warm", "and is", cached(0.5, 1), []],
    ["warm", "and one is not", cached(1, 0.49), [UNCONTROLLED]],
    ["warm", "and the server says nothing", [untold], [UNCONTROLLED]],
    ["warm", "and the server does not say it of each", [...cached(1), untold], [UNCONTROLLED]],
    ["warm", "and all failed", [failedLine(0, 0)], [ERRORS]],
    ["any", "and is cold", cached(0), []],
    ["any", "and is warm", cached(1), []],
  ])("whose cache is to be %s %s", (cache, _what, lines, expected) => {
    expect(reasonsOf(lines, { plan: { cache } })).toEqual(expected);
  });

  test("has the rail's refusals in front of its own", () => {
    const accumulator = new CellAccumulator(planOf());
    accumulator.add(failedLine(0, 0));
    const gap = refusal("rail_gap", "a hole");
    const reasons = cellReasons(accumulator.finish(endOf()), [gap]);
    expect(reasons[0]).toEqual(gap);
    expect(reasons[1]).toEqual({
      reason: "errors",
      refuses: "comparison",
      detail: expect.stringMatching(/^1 of 1 requests failed: 1 http_status; the first: /),
    });
  });
});
