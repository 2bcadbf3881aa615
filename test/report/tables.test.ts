import { describe, expect, test } from "vitest";
import { decodeFloorTable } from "../../src/report/decode-floor-table.ts";
import { sweepTable } from "../../src/report/sweep-table.ts";
import { summarise } from "../../src/stats/summary.ts";
import {
  cell,
  estimated,
  floorRun,
  GAP_REASON,
  plain,
  record,
  refused,
  unmeasured,
  withoutRail,
} from "./records.ts";

const PLAIN = { hasColour: false, width: 100 };
const LEVELS = [1, 2, 4, 8, 16, 32];

const failing = cell(8, {
  isComparable: false,
  counts: { ok: 29, failed: 3, failedByKind: { timeout: 3 }, notSent: 0 },
  validity: [
    { reason: "errors", refuses: "comparison", detail: "3 of 32 requests failed: timeout × 3" },
  ],
  warnings: ["the power cap held in 40 % of the readings"],
});

const longGap = { ...GAP_REASON, detail: "no reading came for 2.10 s inside the window" };

const repeats = [0, 1, 2].flatMap((repeat) =>
  LEVELS.map((level) => {
    const one = cell(level, { repeat });
    const joules = one.metrics["gpu_rail_joules_per_token"]! * (1 + repeat / 50);
    const est = estimated(joules * one.tokens!.output, one.tokens!.output);
    return { ...one, metrics: { ...one.metrics, gpu_rail_joules_per_token: joules, ...est } };
  }),
);

const FORTY = [128, 1024, 8192, 32_768, 131_072].flatMap((inputTokens) =>
  [1, 2, 4, 8, 16, 32, 64, 128].map((level) =>
    cell(level, {
      inputTokens,
      label: `${inputTokens} in, ${level} at once`,
      prefix: `isl${inputTokens}_c${level}_`,
    }),
  ),
);

/** Two lengths of prompts by two of answers, each at two concurrencies. */
const LENGTHS = [128, 1024].flatMap((inputTokens) =>
  [64, 256].flatMap((outputTokens) =>
    [1, 4].map((level) =>
      cell(level, {
        inputTokens,
        outputTokens,
        label: `${inputTokens} in, ${outputTokens} out, ${level} at once`,
        prefix: `isl${inputTokens}_osl${outputTokens}_c${level}_`,
      }),
    ),
  ),
);

const NOISY =
  "it lies between -0.004 and 0.02 J per token, so it cannot be told from nothing: longer windows, more repeats or lengths further apart help";

const SWEEPS = {
  plain: record(LEVELS.map((level) => cell(level))),
  "refused, failed and interrupted": record(
    [
      cell(1),
      refused(2),
      refused(4, longGap),
      failing,
      cell(16, { state: "interrupted", isComparable: false }),
      unmeasured(32),
    ],
    { interrupted: true, damage: ["requests.jsonl: its last line is torn"] },
  ),
  "simulated, with warnings": record(
    LEVELS.map((level) =>
      cell(level, {
        metrics: {
          output_tok_s: 50 * level,
          sim_rail_joules_per_token: 3.2 / level,
          sim_rail_mean_power_w: 300,
        },
        warnings: ["tokens are estimated"],
      }),
    ),
    { simulated: true, warnings: ["the certificate is not checked (--insecure)"] },
  ),
  repeats: record(repeats),
  "one without an estimate": record([cell(1), plain(2), cell(4)]),
  "no estimate at all": record([plain(1), plain(2)]),
  "two columns": record(
    LEVELS.map((level) => {
      const { metrics, ...rest } = cell(level);
      const instantJ = metrics["gpu_rail_energy_est_j"]! * (1 + (level - 3) / 1000);
      return { ...rest, metrics: { ...metrics, gpu_rail_instant_est_j: instantJ } };
    }),
  ),
  "no rail": withoutRail(LEVELS),
  "two by two lengths": record(LENGTHS, {
    metrics: {
      c1_gpu_rail_prefill_joules_per_input_token: 0.01234,
      c1_gpu_rail_prefill_joules_per_input_token_lo: 0.0101,
      c1_gpu_rail_prefill_joules_per_input_token_hi: 0.0141,
      c1_gpu_rail_decode_joules_per_output_token: 4.6789,
      c1_gpu_rail_decode_joules_per_output_token_lo: 4.6666,
      c1_gpu_rail_decode_joules_per_output_token_hi: 4.7012,
      c4_gpu_rail_decode_joules_per_output_token: 1.4321,
      c4_gpu_rail_decode_joules_per_output_token_lo: 0.2222,
      c4_gpu_rail_decode_joules_per_output_token_hi: 2.6543,
    },
    validity: [
      {
        reason: "phases_not_told",
        refuses: "phases",
        detail: `at 4 at once, prefill: ${NOISY}`,
      },
    ],
  }),
  "forty cells and long names": record(FORTY, {
    server: { name: "vLLM", model: `org/${"a-model-with-a-very-long-name-".repeat(6)}` },
    target: {
      ...record([]).target,
      requestUrl: `https://${"very-long-name.".repeat(12)}example/v1/chat/completions`,
    },
  }),
  "nothing answered": record(
    [1, 2].map((level) => {
      const { ttftMs, tpotMs, ...rest } = cell(level, {
        isComparable: false,
        counts: { ok: 0, failed: 8, failedByKind: { http: 8 }, notSent: 0 },
        tokens: { output: 0, delivered: 0, isEstimated: false },
        metrics: {},
        validity: [
          { reason: "errors", refuses: "comparison", detail: "8 of 8 requests failed: HTTP 503" },
          { reason: "tokens_unknown", refuses: "per_token", detail: "no token arrived" },
        ],
      });
      return rest;
    }),
  ),
} as const;

describe("a sweep's table", () => {
  test.each(Object.entries(SWEEPS))("%s", async (name, one) => {
    const file = `./tables/sweep-${name.replaceAll(/\W+/g, "-")}.txt`;
    await expect(`${sweepTable(one, PLAIN)}\n`).toMatchFileSnapshot(file);
  });

  test.each(
    Object.entries(SWEEPS).flatMap(([name, one]) =>
      [100, 80, 60].map((width) => [name, width, one] as const),
    ),
  )("%s stays within %d columns, and is without escapes", (_name, width, one) => {
    const lines = sweepTable(one, { hasColour: false, width }).split("\n");
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(width);
    expect(lines.join()).not.toContain("\u001b");
  });

  test("colours change nothing but the colours", () => {
    for (const one of Object.values(SWEEPS)) {
      const coloured = sweepTable(one, { hasColour: true, width: 100 });
      expect(coloured).toContain("\u001b[1m");
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the colours.
      expect(coloured.replaceAll(/\u001b\[\d+m/g, "")).toBe(sweepTable(one, PLAIN));
    }
  });

  test("says SIMULATED first, where anything was", () => {
    expect(sweepTable(SWEEPS["simulated, with warnings"], PLAIN)).toMatch(/^SIMULATED · /);
    expect(sweepTable(SWEEPS.plain, PLAIN)).not.toContain("SIMULATED");
  });

  test("cells with the same reason share a footnote, and no figure stands where one is refused", () => {
    const table = sweepTable(record([refused(1), refused(2), cell(4)]), PLAIN);
    expect(table.match(/no reading came for 1\.32 s inside the window \[rail_gap\]/g)).toHaveLength(
      1,
    );
    expect(rowsOf(table)[0]).toMatch(/^ +1 .* —² +—² +0$/);
    expect(rowsOf(table)[1]).toMatch(/^ +2 .* —² +—² +0$/);
    expect(rowsOf(table)[2]).toMatch(/^ +4 .* 1\.44 \(1\.42–1\.46\) +291 +0$/);
  });

  test("a column never mixes estimates and plain integrals, and is called after the latter", () => {
    const mixed = sweepTable(SWEEPS["one without an estimate"], PLAIN);
    expect(rowsOf(mixed)[1]).toMatch(/^ +2 .* —² /);
    expect(mixed).toContain("² GPU 0: the readings do not reach far enough around the window");
    expect(mixed).not.toContain("plain");
    const none = sweepTable(SWEEPS["no estimate at all"], PLAIN);
    expect(none).toMatch(/plain J\/token: the plain integral/);
    expect(none.replaceAll(/\s+/g, " ")).toContain("no estimate: GPU 0: the readings do not reach");
    expect(none).toMatch(/cheapest .* J\/token by the plain integral/);
  });

  test("the estimate is what is shown, with its own interval, where it and the integral differ", () => {
    const { metrics, ...rest } = cell(1);
    const one = { ...rest, metrics: { ...metrics, ...estimated(2000, 1000) } };
    const table = sweepTable(record([one]), PLAIN);
    expect(rowsOf(table)[0]).toContain("2.00 (1.98–2.03)");
    expect(table).toMatch(/cheapest +2\.00 J\/token: 1 at once/);
  });

  test("what a second column says stands on the line of the energy", () => {
    const table = sweepTable(SWEEPS["two columns"], PLAIN);
    expect(rowsOf(table)[0]).toContain("−0.2");
    expect(rowsOf(table)[5]).toContain("+2.9");
    expect(table.replaceAll(/\s+/g, " ")).toContain("instant %: how far the energy by that column");
  });

  test("the peak and the cheapest token are those of rows that may be compared", () => {
    const marked = cell(32, { isComparable: false, validity: failing.validity });
    const table = sweepTable(record([cell(1), cell(2), marked]), PLAIN);
    expect(table).toMatch(/peak +106 tok\/s: 2 at once/);
    expect(table).toMatch(/cheapest +2\.52 J\/token: 2 at once/);
    const none = sweepTable(record([marked]), PLAIN);
    expect(none).toMatch(/peak +—: no row is comparable/);
    expect(none).not.toContain("cheapest");
  });

  test("repeats give the median and the interval of the record, which lies around the mean", () => {
    const three = [10, 11, 15].map((joules, repeat) =>
      cell(1, { repeat, metrics: { gpu_rail_joules_per_token: joules } }),
    );
    // Student: 12 ± t 4.30265 × s 2.6458 / √3 = 6.57.
    expect(sweepTable(record(three), PLAIN)).toContain(" 11.0 (5.4–18.6) ");
    const table = sweepTable(
      record([...three.slice(0, 2), { ...unmeasured(1), repeat: 2 }]),
      PLAIN,
    );
    expect(table).toContain("2 of 3 repeats");
  });

  test("an estimate brings its own interval, and the plain integral does not stand beside it", () => {
    const est = cell(1, {
      metrics: {
        gpu_rail_joules_per_token: 9,
        gpu_rail_joules_per_token_est: 10,
        gpu_rail_joules_per_token_est_lo: 9.5,
        gpu_rail_joules_per_token_est_hi: 10.7,
      },
    });
    const why = { reason: "rail_not_bracketed", refuses: "estimate", detail: "no quiet" } as const;
    const table = sweepTable(record([est, plain(2, [why])]), PLAIN);
    expect(table).toContain(" 10.0 (9.5–10.7) ");
    expect(rowsOf(table)[1]).not.toContain("2.5");
    expect(table).toContain("no quiet [rail_not_bracketed]");
  });

  test.each([
    [100, repeats],
    [52, LEVELS.map((level) => cell(level))],
  ])("a column without room takes its notes with it: %d columns", (width, cells) => {
    const table = sweepTable(record(cells), { hasColour: false, width });
    expect(table.replaceAll(/\s+/g, " ")).toMatch(/No room for: TTFT p9\d ms/);
    expect(table).not.toMatch(/[¹²³]|fewer than|too few requests for a higher one/);
    const gap = sweepTable(record([...cells, refused(64)]), { hasColour: false, width });
    expect(gap).toContain("¹ no reading came");
    expect(gap).not.toContain("²");
  });

  test("a single request has no tail", () => {
    const one = cell(1, { ttftMs: summarise([40]), tpotMs: summarise([17]) });
    const table = sweepTable(record([one]), PLAIN);
    expect(table).not.toContain("p99");
    expect(table).toContain("p50: too few requests for a higher one.");
    const empty = sweepTable(record([unmeasured(1)]), PLAIN);
    expect(empty).not.toContain("p99");
  });

  test("tokens that were counted from events are said to be, and take TPOT away", () => {
    const tokens = { output: 1024, delivered: 1024, isEstimated: true };
    const { tpotMs, ...guessed } = cell(1, { tokens });
    const table = sweepTable(record([guessed, cell(2)]), PLAIN);
    expect(table).not.toContain("the record does not say why");
    expect(table).toContain("TPOT needs the server's own count of tokens, which it did not tell");
    expect(table).toContain("tokens counted from events");
    expect(rowsOf(table)[0]).toMatch(/by events[¹²³]$/);
    expect(rowsOf(table)[1]).not.toContain("by events");
  });

  test("what a server says can do nothing to a terminal", () => {
    const evil = "a\u001b]0;title\u0007b\u202ec\nd";
    const table = sweepTable(
      record(
        [
          cell(1, {
            label: evil,
            warnings: [evil],
            validity: [{ ...GAP_REASON, detail: evil }],
            metrics: {},
          }),
          refused(2),
          cell(4, { label: evil }),
        ],
        {
          server: { name: evil, version: evil, model: evil },
          damage: [evil],
        },
      ),
      PLAIN,
    );
    expect(table).toContain("a ]0;title b c d");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for.
    expect(table.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u202e]/);
  });
});

describe("a decode floor's table", () => {
  const three = [floorRun(0), floorRun(1), floorRun(2)];
  const metrics = {
    decode_tok_s: 62.1,
    decode_tok_s_ci_lo: 61.1,
    decode_tok_s_ci_hi: 63.1,
    decode_rate_is_servers: 1,
    decode_runs: 3,
    gpu_rail_joules_per_token: 4.695,
    ...estimated(3 * 7180, 3 * 1500),
  };
  const base = { benchmark: "decode-floor", metrics } as const;
  const FLOORS = {
    pass: record(three, {
      ...base,
      verdict: {
        verdict: "pass",
        reasons: ["62.1 tokens/s by the server's times, the floor is 60"],
      },
    }),
    fail: record(three, {
      ...base,
      verdict: {
        verdict: "fail",
        reasons: ["62.1 tokens/s by the server's times, the floor is 80"],
      },
    }),
    inconclusive: record(
      [
        floorRun(0),
        floorRun(1, { metrics: { decode_tok_s_client: 60 }, validity: [GAP_REASON] }),
        { ...unmeasured(1), cell: 2, label: "run 3" },
      ],
      {
        ...base,
        metrics: { decode_runs: 2 },
        verdict: {
          verdict: "inconclusive",
          reasons: ["run 2 emitted 300 of 1,500 tokens, fewer than half", "run 3 was not measured"],
        },
      },
    ),
  } as const;

  test.each(Object.entries(FLOORS))("%s", async (name, one) => {
    const table = decodeFloorTable(one, PLAIN);
    await expect(`${table}\n`).toMatchFileSnapshot(`./tables/decode-floor-${name}.txt`);
    for (const line of table.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  });

  test("without a verdict it claims none", () => {
    const { verdict, ...bare } = FLOORS.pass;
    expect(decodeFloorTable(bare, PLAIN)).not.toContain("PASS");
  });

  test("a single request shows its own time, though it has no percentile", () => {
    const one = floorRun(0, { ttftMs: summarise([41.5]) });
    expect(decodeFloorTable(record([one], base), PLAIN)).toMatch(/^ +1 +62\.5 +41\.5 /m);
  });
});

/** The lines of the table itself that begin with a number. */
function rowsOf(table: string): readonly string[] {
  return table.split("\n").filter((line) => /^ *\d+ {2}/.test(line));
}
