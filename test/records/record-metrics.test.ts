import { describe, expect, test } from "vitest";
import type { Metrics } from "../../src/energy/metrics.ts";
import { decodeFloorFigures, decodeFloorVerdict } from "../../src/records/decode-floor-result.ts";
import { recordMetrics, sweepPeaks } from "../../src/records/record-metrics.ts";
import type { CellRecord, ReasonCode } from "../../src/records/run-record.ts";
import { planOf } from "./support/lines.ts";
import { FACTS } from "./support/small-run.ts";

const RAIL = { facts: FACTS, reasons: [], warnings: [] };
const NO_RAIL = { reasons: [], warnings: [] };

function cellOf(metrics: Metrics, more: Partial<CellRecord> = {}): CellRecord {
  return {
    ...planOf(),
    state: "measured",
    metrics,
    isComparable: true,
    validity: [],
    warnings: [],
    ...more,
  };
}

describe("the figures of a run", () => {
  test("are those of its cells behind their prefixes, and how often the rail was read", () => {
    const cells = [cellOf({ x: 1 }), cellOf({ x: 2 }, { prefix: "c4_" })];
    expect(recordMetrics(cells, RAIL)).toEqual({
      c2_x: 1,
      c4_x: 2,
      gpu_rail_sample_period_ms: 100,
    });
  });

  test("over repeats are the median and its interval", () => {
    const cells = [1, 2, 6].map((x) => cellOf({ x }));
    const metrics = recordMetrics(cells, NO_RAIL);
    // Mean 3, standard deviation √7: 3 ± 4.30265 × √(7/3).
    expect(metrics).toEqual({
      c2_x: 2,
      c2_x_ci_lo: expect.closeTo(-3.5724, 3),
      c2_x_ci_hi: expect.closeTo(9.5724, 3),
    });
  });

  test("over repeats are made of those that may be compared, where one may", () => {
    const bad = { isComparable: false };
    const mixed = [cellOf({ x: 1 }), cellOf({ x: 90 }, bad), cellOf({ x: 3 })];
    expect(recordMetrics(mixed, NO_RAIL)).toMatchObject({ c2_x: 2 });
    expect(recordMetrics([cellOf({ x: 1 }), cellOf({ x: 9 }, bad)], NO_RAIL)).toEqual({ c2_x: 1 });
    const none = [cellOf({ x: 1 }, bad), cellOf({ x: 9 }, bad)];
    expect(recordMetrics(none, NO_RAIL)).toMatchObject({ c2_x: 5 });
  });

  test("over repeats never say that an estimate is better known than one repeat shows", () => {
    const repeat = {
      x_est: 10,
      x_est_lo: 9,
      x_est_hi: 12,
      y_est_j: 5,
      y_est_lo_j: 4,
      y_est_hi_j: 7,
    };
    const metrics = recordMetrics(
      [repeat, repeat, repeat].map((one) => cellOf(one)),
      NO_RAIL,
    );
    expect(metrics).toEqual({
      c2_x_est: 10,
      c2_x_est_ci_lo: 9,
      c2_x_est_ci_hi: 12,
      c2_x_est_lo: 9,
      c2_x_est_hi: 12,
      c2_y_est_j: 5,
      c2_y_est_j_ci_lo: 4,
      c2_y_est_j_ci_hi: 7,
      c2_y_est_lo_j: 4,
      c2_y_est_hi_j: 7,
    });
    expect(recordMetrics([cellOf(repeat)], NO_RAIL)).not.toHaveProperty("c2_x_est_ci_lo");
  });

  test("are not there for what was not measured", () => {
    expect(recordMetrics([cellOf({}, { state: "not measured" })], NO_RAIL)).toEqual({});
  });
});

describe("the best of a sweep", () => {
  const sweepCell = (concurrency: number, tokS: number, jPerToken: number, more = {}) =>
    cellOf(
      { output_tok_s: tokS, gpu_rail_joules_per_token: jPerToken },
      { concurrency, prefix: `c${concurrency}_`, ...more },
    );

  test("is the fastest and the cheapest of the cells that may be compared", () => {
    const cells = [sweepCell(1, 50, 3), sweepCell(4, 150, 1), sweepCell(8, 120, 0.8)];
    expect(sweepPeaks([...cells, sweepCell(16, 900, 0.1, { isComparable: false })], RAIL)).toEqual({
      peak_output_tok_s: 150,
      peak_output_tok_s_concurrency: 4,
      best_gpu_rail_joules_per_token: 0.8,
      best_gpu_rail_joules_per_token_concurrency: 8,
    });
    expect(sweepPeaks([sweepCell(16, 900, 0.1, { isComparable: false })], RAIL)).toEqual({});
  });

  test("is told by the estimate too, which may find another cell the cheapest", () => {
    const est = (concurrency: number, plain: number, estimate?: number) =>
      cellOf(
        {
          gpu_rail_joules_per_token: plain,
          ...(estimate === undefined ? {} : { gpu_rail_joules_per_token_est: estimate }),
        },
        { concurrency, prefix: `c${concurrency}_` },
      );
    expect(sweepPeaks([est(1, 1.0, 1.1), est(2, 0.9, 1.2), est(4, 0.8)], RAIL)).toEqual({
      best_gpu_rail_joules_per_token: 0.8,
      best_gpu_rail_joules_per_token_concurrency: 4,
      best_gpu_rail_joules_per_token_est: 1.1,
      best_gpu_rail_joules_per_token_est_concurrency: 1,
    });
  });

  test("is no lucky repeat", () => {
    const cells = [10, 11, 500].map((tokS) => sweepCell(1, tokS, 1));
    expect(sweepPeaks([...cells, sweepCell(2, 20, 1)], RAIL)).toMatchObject({
      peak_output_tok_s: 20,
      peak_output_tok_s_concurrency: 2,
    });
  });
});

describe("a decode floor", () => {
  const floorRun = (run: number, metrics: Metrics, more: Partial<CellRecord> = {}): CellRecord =>
    cellOf(metrics, {
      cell: run,
      repeat: run,
      label: `run ${run + 1}`,
      prefix: "",
      counts: { ok: 1, failed: 0, failedByKind: {}, notSent: 0 },
      tokens: { output: 100, delivered: 100, isEstimated: false, minCompletion: 100 },
      ...more,
    });
  const energy = (energyJ: number, tokens: number): Metrics => ({
    gpu_rail_energy_j: energyJ,
    gpu_rail_energy_window_s: 2,
    gpu_rail_energy_window_tokens: tokens,
    gpu_rail_mean_power_w: energyJ / 2,
    gpu_rail_max_power_w: energyJ,
    gpu_rail_power_samples: 20,
    gpu_rail_joules_per_token: energyJ / tokens,
    output_tokens: tokens,
  });
  const metricsOf = (cells: readonly CellRecord[]): Metrics => decodeFloorFigures(cells, RAIL);
  const rules = { maxTokens: 100, requireSpeculation: false };

  test("has the sum of joules and tokens, divided once, and no interval of a single run beside it", () => {
    const metrics = metricsOf([floorRun(0, energy(100, 100)), floorRun(1, energy(400, 50))]);
    expect(metrics).toMatchObject({
      gpu_rail_energy_j: 500,
      gpu_rail_energy_window_s: 4,
      gpu_rail_energy_window_tokens: 150,
      gpu_rail_joules_per_token: expect.closeTo(500 / 150, 9),
      gpu_rail_power_samples: 40,
      gpu_rail_max_power_w: 400,
      gpu_rail_sample_period_ms: 100,
    });
    expect(Object.keys(metrics).filter((key) => /rail.*_ci_/.test(key))).toEqual([]);
  });

  test("has no energy where one run has none: the sum would be smaller without saying so", () => {
    const metrics = metricsOf([floorRun(0, energy(100, 100)), floorRun(1, { output_tokens: 50 })]);
    expect(Object.keys(metrics).filter((key) => key.startsWith("gpu_rail_"))).toEqual([
      "gpu_rail_sample_period_ms",
    ]);
  });

  const estimated = (energyJ: number, tokens: number): Metrics => ({
    ...energy(energyJ - 10, tokens),
    gpu_rail_energy_est_j: energyJ,
    gpu_rail_energy_est_lo_j: energyJ - 2,
    gpu_rail_energy_est_hi_j: energyJ + 3,
    gpu_rail_joules_per_token_est: energyJ / tokens,
    gpu_rail_instant_est_j: energyJ - 1,
    gpu_rail_instant_est_lo_j: energyJ - 5,
    gpu_rail_instant_est_hi_j: energyJ + 4,
  });

  test("has the sum of estimates with the sum of their half-widths", () => {
    const metrics = metricsOf([floorRun(0, estimated(100, 100)), floorRun(1, estimated(400, 50))]);
    expect(metrics).toMatchObject({
      gpu_rail_energy_j: 480,
      gpu_rail_energy_est_j: 500,
      gpu_rail_energy_est_lo_j: 496,
      gpu_rail_energy_est_hi_j: 506,
      gpu_rail_joules_per_token_est: expect.closeTo(500 / 150, 9),
      gpu_rail_joules_per_token_est_lo: expect.closeTo(496 / 150, 9),
      gpu_rail_joules_per_delivered_token_est_hi: expect.closeTo(506 / 150, 9),
      gpu_rail_instant_est_j: 498,
      gpu_rail_instant_est_lo_j: 490,
    });
    expect(Object.keys(metrics).filter((key) => /rail.*_ci_/.test(key))).toEqual([]);
  });

  test("has the plain sum alone where one run has no estimate, and sums what a counter says", () => {
    const counted = { gpu_rail_counter_j: 90 };
    const metrics = metricsOf([
      floorRun(0, { ...estimated(100, 100), ...counted }),
      floorRun(1, { ...energy(400, 50), ...counted }),
    ]);
    expect(metrics).toMatchObject({ gpu_rail_energy_j: 490, gpu_rail_counter_j: 180 });
    expect(metrics["gpu_rail_counter_joules_per_token"]).toBeCloseTo(180 / 150, 9);
    expect(Object.keys(metrics).filter((key) => key.includes("_est"))).toEqual([]);
  });

  test("takes the server's rate where every run has it, else the client's", () => {
    const rates = (server: number | undefined, client: number) => ({
      ...(server === undefined ? {} : { decode_tok_s_server: server }),
      decode_tok_s_client: client,
    });
    const both = [
      floorRun(0, rates(50, 49)),
      floorRun(1, rates(60, 59)),
      floorRun(2, rates(70, 69)),
    ];
    expect(metricsOf(both)).toMatchObject({
      decode_tok_s: 60,
      decode_rate_is_servers: 1,
      decode_runs: 3,
    });
    const one = [floorRun(0, rates(50, 49)), floorRun(1, rates(undefined, 59))];
    expect(metricsOf(one)).toMatchObject({ decode_tok_s: 54, decode_rate_is_servers: 0 });
  });

  test("is held, or not, by the median of its runs", () => {
    const cells = [50, 60, 70].map((rate, i) => floorRun(i, { decode_tok_s_client: rate }));
    const verdictOf = (minTokS?: number) =>
      decodeFloorVerdict(cells, { ...rules, ...(minTokS === undefined ? {} : { minTokS }) });
    expect(verdictOf(60).verdict).toBe("pass");
    expect(verdictOf(60.1)).toEqual({
      verdict: "fail",
      reasons: ["60.0 tokens/s by the client's times, the floor is 60.1"],
    });
    expect(verdictOf().verdict).toBe("measured");
  });

  test.each<readonly [string, CellRecord, boolean, RegExp]>([
    ["ended after fewer than half", shortRun(49), false, /run 1 ended after 49 of 100 tokens/],
    [
      "does not tell its tokens",
      floorRun(0, { decode_tok_s_client: 9 }, { tokens: untoldTokens() }),
      false,
      /does not tell/,
    ],
    ["gives no rate", floorRun(0, {}), false, /no decode rate/],
    [
      "failed",
      floorRun(0, {}, { counts: { ok: 0, failed: 1, failedByKind: {}, notSent: 0 } }),
      false,
      /run 1 failed/,
    ],
    ["was interrupted", floorRun(0, {}, { state: "interrupted" }), false, /run 1 was interrupted/],
    [
      "took no draft",
      floorRun(0, { decode_tok_s_client: 9, accepted_draft_tokens: 0 }),
      true,
      /no draft/,
    ],
    ["tells nothing of drafts", floorRun(0, { decode_tok_s_client: 9 }), true, /no draft/],
  ])("with a run that %s is inconclusive, never a pass", (_what, cell, requireSpeculation, why) => {
    const { verdict, reasons } = decodeFloorVerdict([cell], {
      maxTokens: 100,
      minTokS: 0.001,
      requireSpeculation,
    });
    expect(verdict).toBe("inconclusive");
    expect(reasons.join()).toMatch(why);
  });

  test("counts exactly half as enough, and a draft that was taken", () => {
    const accepted = floorRun(0, { decode_tok_s_client: 9, accepted_draft_tokens: 1 });
    expect(decodeFloorVerdict([shortRun(50)], rules).verdict).toBe("measured");
    expect(decodeFloorVerdict([accepted], { ...rules, requireSpeculation: true }).verdict).toBe(
      "measured",
    );
  });

  const notComparable = (reason: ReasonCode, detail: string): Partial<CellRecord> => ({
    isComparable: false,
    validity: [{ reason, refuses: "comparison", detail }],
  });
  const rates = { decode_tok_s_server: 50, decode_tok_s_client: 40 };

  test.each<readonly [ReasonCode, Metrics, string]>([
    ["client_saturated", { decode_tok_s_client: 9 }, "inconclusive"],
    ["client_saturated", rates, "pass"],
    ["errors", rates, "inconclusive"],
    ["cache_uncontrolled", rates, "inconclusive"],
    ["short_completions", rates, "pass"],
  ])("with a run that has %s, and the rates %j: %s", (reason, metrics, expected) => {
    const cells = [
      floorRun(0, metrics),
      floorRun(1, metrics, notComparable(reason, "thread 0 was busy")),
    ];
    const { verdict, reasons } = decodeFloorVerdict(cells, { ...rules, minTokS: 1 });
    expect(verdict).toBe(expected);
    if (expected === "inconclusive") expect(reasons.join()).toMatch(/^run 2.*: thread 0 was busy$/);
  });

  test("has all its medians over the same runs", () => {
    const busy = notComparable("client_saturated", "thread 0 was busy");
    const cells = [
      floorRun(0, { decode_tok_s_server: 50 }),
      floorRun(1, { decode_tok_s_server: 90 }, busy),
      floorRun(2, { decode_tok_s_server: 80 }),
    ];
    const metrics = metricsOf(cells);
    expect(metrics["decode_tok_s"]).toBe(80);
    expect(metrics["decode_tok_s_server"]).toBe(80);
  });

  function shortRun(minCompletion: number): CellRecord {
    const tokens = { output: 9, delivered: 9, isEstimated: false, minCompletion };
    return floorRun(0, { decode_tok_s_client: 9 }, { tokens });
  }

  function untoldTokens(): NonNullable<CellRecord["tokens"]> {
    return { output: 9, delivered: 9, isEstimated: true };
  }
});
