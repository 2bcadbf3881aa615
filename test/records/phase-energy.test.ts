import { describe, expect, test } from "vitest";
import { planSweep } from "../../src/benchmarks/plan-sweep.ts";
import { phaseEnergy } from "../../src/records/phase-energy.ts";
import type { CellRecord } from "../../src/records/run-record.ts";

const PREFILL_J = 0.02;
const DECODE_J = 0.3;
/** That the cells do not agree to the last digit. */
const ERRORS = [0.004, -0.003, 0.005, -0.006, 0.002];

interface Shape {
  readonly inputTokens?: readonly number[];
  readonly outputTokens?: readonly number[];
  readonly concurrency?: readonly number[];
  readonly repeat?: number;
}

/** A measured sweep of a GPU whose tokens cost the above. */
function cellsOf(shape: Shape = {}, more: (cell: CellRecord) => Partial<CellRecord> = () => ({})) {
  const plans = planSweep({
    concurrency: [4],
    inputTokens: [128, 1024],
    outputTokens: [64, 256],
    cache: "cold",
    repeat: 1,
    ...shape,
  });
  return plans.map((plan): CellRecord => {
    const prompt = plan.requests! * plan.inputTokens!;
    const output = plan.requests! * plan.outputTokens!;
    const energyJ = (PREFILL_J * prompt + DECODE_J * output) * (1 + ERRORS[plan.cell % 5]!);
    const cell: CellRecord = {
      ...plan,
      state: "measured",
      tokens: { output, delivered: output, isEstimated: false, prompt },
      metrics: { gpu_rail_energy_j: energyJ, gpu_rail_energy_window_tokens: output },
      isComparable: true,
      validity: [],
      warnings: [],
    };
    return { ...cell, ...more(cell) };
  });
}

const PREFILL = "c4_gpu_rail_prefill_joules_per_input_token";
const DECODE = "c4_gpu_rail_decode_joules_per_output_token";

describe("the phases of a sweep", () => {
  test("have their joules per token with an interval, by concurrency", () => {
    const { metrics, reasons } = phaseEnergy(cellsOf({ concurrency: [1, 4] }), "gpu_rail");
    expect(reasons).toEqual([]);
    expect(Object.keys(metrics)).toEqual(
      ["c1", "c4"].flatMap((level) =>
        ["decode_joules_per_output_token", "prefill_joules_per_input_token"].flatMap((tail) =>
          ["", "_hi", "_lo"].map((end) => `${level}_gpu_rail_${tail}${end}`),
        ),
      ),
    );
    expect(metrics[PREFILL]).toBeCloseTo(PREFILL_J, 2);
    expect(metrics[DECODE]).toBeCloseTo(DECODE_J, 2);
    expect(metrics[`${PREFILL}_lo`]).toBeLessThan(metrics[PREFILL]!);
    expect(metrics[`${PREFILL}_hi`]).toBeGreaterThan(metrics[PREFILL]!);
  });

  test("stand behind the head of the rail, and where there is no rail there is nothing", () => {
    const simulated = cellsOf({}, ({ metrics }) => ({
      metrics: {
        sim_rail_energy_j: metrics["gpu_rail_energy_j"]!,
        sim_rail_energy_window_tokens: metrics["gpu_rail_energy_window_tokens"]!,
      },
    }));
    expect(phaseEnergy(simulated, "sim_rail").metrics).toHaveProperty(
      "c4_sim_rail_prefill_joules_per_input_token",
    );
    expect(phaseEnergy(cellsOf(), undefined)).toEqual({ metrics: {}, reasons: [] });
  });

  test("are made of estimates and their intervals, where there are any", () => {
    const estimated = cellsOf({}, ({ metrics, cell }) => ({
      metrics: {
        ...metrics,
        // A cell without an estimate does not come in with its plain integral.
        ...(cell === 0
          ? {}
          : {
              gpu_rail_energy_est_j: 2 * metrics["gpu_rail_energy_j"]!,
              gpu_rail_energy_est_lo_j: 1.9 * metrics["gpu_rail_energy_j"]!,
              gpu_rail_energy_est_hi_j: 2.1 * metrics["gpu_rail_energy_j"]!,
            }),
      },
    }));
    const { reasons } = phaseEnergy(estimated, "gpu_rail");
    expect(reasons[0]!.detail).toMatch(/at least 4 cells are needed, and 3 count/);
    const all = cellsOf({ repeat: 2 }, ({ metrics }) => ({
      metrics: {
        ...metrics,
        gpu_rail_energy_est_j: 2 * metrics["gpu_rail_energy_j"]!,
        gpu_rail_energy_est_lo_j: 1.6 * metrics["gpu_rail_energy_j"]!,
        gpu_rail_energy_est_hi_j: 2.1 * metrics["gpu_rail_energy_j"]!,
      },
    }));
    const { metrics } = phaseEnergy(all, "gpu_rail");
    expect(metrics[DECODE]).toBeCloseTo(2 * DECODE_J, 2);
    const plain = phaseEnergy(cellsOf({ repeat: 2 }), "gpu_rail").metrics;
    const width = (figures: typeof plain): number =>
      (figures[`${DECODE}_hi`]! - figures[`${DECODE}_lo`]!) / figures[DECODE]!;
    expect(width(metrics)).toBeGreaterThan(5 * width(plain));
  });

  test("do not count what a cache had", () => {
    const cached = cellsOf({}, ({ tokens, metrics }) => {
      const cachedPrompt = tokens!.prompt! / 4;
      const energyJ = metrics["gpu_rail_energy_j"]! - PREFILL_J * cachedPrompt;
      return {
        tokens: { ...tokens!, cachedPrompt },
        metrics: { ...metrics, gpu_rail_energy_j: energyJ },
      };
    });
    expect(phaseEnergy(cached, "gpu_rail").metrics[PREFILL]! / PREFILL_J).toBeCloseTo(1, 1);
  });

  test("are made of cells that may be compared, were measured and have their tokens alone", () => {
    const wrong = (cell: CellRecord): Partial<CellRecord> => {
      const metrics = { ...cell.metrics, gpu_rail_energy_j: 9e9 };
      const withoutTokens = { gpu_rail_energy_j: 9e9 };
      const kinds: readonly Partial<CellRecord>[] = [
        { metrics, isComparable: false },
        { metrics, state: "interrupted" },
        { metrics: withoutTokens },
      ];
      return cell.repeat === 0 ? {} : kinds[cell.repeat - 1]!;
    };
    const once = phaseEnergy(cellsOf(), "gpu_rail");
    expect(phaseEnergy(cellsOf({ repeat: 4 }, wrong), "gpu_rail").reasons).toEqual([]);
    expect(phaseEnergy(cellsOf({ repeat: 4 }, wrong), "gpu_rail").metrics).toEqual(once.metrics);
  });
});

describe("why phases are not told", () => {
  test("is said where several lengths were run, once for concurrencies alike", () => {
    const cells = cellsOf({ outputTokens: [64], concurrency: [1, 4] });
    expect(phaseEnergy(cells, "gpu_rail")).toEqual({
      metrics: {},
      reasons: [
        {
          reason: "phases_not_told",
          refuses: "phases",
          detail: expect.stringMatching(
            /^at 1, 4 at once, prefill and decode: at least two output lengths are needed/,
          ),
        },
      ],
    });
  });

  test("is not said by a sweep of one pair of lengths, which did not ask", () => {
    const cells = cellsOf({ inputTokens: [128], outputTokens: [64], repeat: 3 });
    expect(phaseEnergy(cells, "gpu_rail")).toEqual({ metrics: {}, reasons: [] });
  });

  test("is said of one phase where the other is told", () => {
    const faint = cellsOf({ inputTokens: [1, 2] });
    const { metrics, reasons } = phaseEnergy(faint, "gpu_rail");
    expect(metrics).toHaveProperty(DECODE);
    expect(metrics).not.toHaveProperty(PREFILL);
    expect(reasons.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/^at 4 at once, prefill: it lies between/),
    ]);
  });
});
