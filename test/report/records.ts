import type { Metrics } from "../../src/energy/metrics.ts";
import type { Refusal } from "../../src/energy/rail-refusal.ts";
import type { RailFacts } from "../../src/rails/source.ts";
import type { CellRecord, Reason, RunRecord } from "../../src/records/run-record.ts";
import { summarise } from "../../src/stats/summary.ts";

/** Made-up records of many kinds, for the tables. */
const RAIL: RailFacts = {
  source: "nvidia-smi",
  head: "gpu_rail",
  devices: [{ id: "GPU-0000", index: 0, name: "NVIDIA H100 80GB HBM3", powerLimitW: 700 }],
  sensor: { averagingMs: 1000, updateMs: 100, kind: "average" },
  sensorBasis: "Hopper",
  periodMs: 250,
  fields: ["power.draw.average"],
  driverVersion: "550.54",
  covers: "the GPU boards",
  excludes: "CPU, system memory, fans of the case, network, losses of the power supply",
  warnings: [],
  silentDevices: [],
};

export const GAP_REASON: Reason = {
  reason: "rail_gap",
  refuses: "energy",
  detail: "no reading came for 1.32 s inside the window",
};

/** A cell of so many at once that went well; times grow with the load as they do. */
export function cell(concurrency: number, more: Partial<CellRecord> = {}): CellRecord {
  const requests = Math.max(8, 4 * concurrency);
  const windowS = (requests / concurrency) * 2.3 * (1 + concurrency / 40);
  const tokens = requests * 128;
  const powerW = 243 + 12 * concurrency;
  const ttft = Array.from({ length: requests }, (_, i) => 31 + concurrency * 2 + (i % 9) * 3.3);
  return {
    cell: 0,
    repeat: 0,
    label: `${concurrency} at once`,
    prefix: `c${concurrency}_`,
    concurrency,
    requests,
    inputTokens: 128,
    outputTokens: 128,
    cache: "cold",
    state: "measured",
    startMs: 1000,
    endMs: 1000 + windowS * 1000,
    ttftMs: summarise(ttft),
    tpotMs: summarise(ttft.map((ms) => 17 + ms / 40)),
    counts: { ok: requests, failed: 0, failedByKind: {}, notSent: 0 },
    tokens: { output: tokens, delivered: tokens, isEstimated: false },
    metrics: {
      output_tok_s: tokens / windowS,
      gpu_rail_energy_j: powerW * windowS,
      gpu_rail_joules_per_token: (powerW * windowS) / tokens,
      gpu_rail_mean_power_w: powerW,
      ...estimated(powerW * windowS, tokens),
    },
    isComparable: true,
    validity: [],
    warnings: [],
    ...more,
  };
}

/** Figures of an estimate whose interval reaches 1 % down and 1.5 % up. */
export function estimated(energyJ: number, tokens: number): Metrics {
  return {
    gpu_rail_energy_est_j: energyJ,
    gpu_rail_energy_est_lo_j: energyJ * 0.99,
    gpu_rail_energy_est_hi_j: energyJ * 1.015,
    gpu_rail_joules_per_token_est: energyJ / tokens,
    gpu_rail_joules_per_token_est_lo: (energyJ * 0.99) / tokens,
    gpu_rail_joules_per_token_est_hi: (energyJ * 1.015) / tokens,
  };
}

export const UNBRACKETED: Refusal = {
  reason: "rail_not_bracketed",
  refuses: "estimate",
  detail: "GPU 0: the readings do not reach far enough around the window",
};

/** The same cell with nothing but the plain integral, and why. */
export function plain(
  concurrency: number,
  validity: readonly Reason[] = [UNBRACKETED],
): CellRecord {
  const { metrics } = cell(concurrency);
  const kept = Object.entries(metrics).filter(([key]) => !key.includes("_est"));
  return cell(concurrency, { metrics: Object.fromEntries(kept), validity });
}

/** A cell that was planned and never begun. */
export function unmeasured(concurrency: number): CellRecord {
  const {
    cell: place,
    repeat,
    label,
    prefix,
    inputTokens,
    outputTokens,
    cache,
  } = cell(concurrency);
  const plan = { cell: place, repeat, label, prefix, concurrency, cache };
  const why = { metrics: {}, isComparable: false, validity: [], warnings: [] };
  return {
    ...plan,
    inputTokens: inputTokens!,
    outputTokens: outputTokens!,
    state: "not measured",
    ...why,
  };
}

/** The same cell without its energy, and why. */
export function refused(concurrency: number, reason: Reason = GAP_REASON): CellRecord {
  const { output_tok_s } = cell(concurrency).metrics;
  return cell(concurrency, { metrics: { output_tok_s: output_tok_s! }, validity: [reason] });
}

export function record(cells: readonly CellRecord[], more: Partial<RunRecord> = {}): RunRecord {
  return {
    schema: "joulemark.record/1",
    benchmark: "sweep",
    software: { name: "joulemark", version: "0.1.0" },
    startedAt: "2026-03-01T12:00:00.000Z",
    simulated: false,
    interrupted: false,
    parameters: {},
    target: {
      baseUrl: "http://127.0.0.1:8000/v1",
      requestUrl: "http://127.0.0.1:8000/v1/chat/completions",
      endpoint: "chat",
      model: "llama-3.1-8b-instruct",
      auth: "none",
      isInsecure: false,
      isProxied: false,
    },
    host: {
      hostname: "bench-1",
      os: "Linux 6.8",
      cpu: "AMD EPYC",
      cpuCount: 64,
      memoryBytes: 2 ** 39,
      nodeVersion: "v20.20.2",
    },
    server: { name: "vLLM", version: "0.6.3", model: "llama-3.1-8b-instruct" },
    rail: RAIL,
    idle: {
      windowS: 2,
      samples: 8,
      energyJ: 184.2,
      meanPowerW: 92.1,
      maxPowerW: 93,
    },
    cells,
    metrics: {},
    validity: [],
    warnings: [],
    log: [],
    damage: [],
    ...more,
  };
}

/** A run on a machine whose rail is not the target's. */
export function withoutRail(levels: readonly number[]): RunRecord {
  const why: Reason = {
    reason: "rail_not_local",
    refuses: "energy",
    detail: "the target is on another machine (10.0.0.7), whose rail is not read here",
  };
  const { rail, idle, ...bare } = record(levels.map((level) => refused(level, why)));
  return bare;
}

/** A timed run of the decode floor. */
export function floorRun(run: number, more: Partial<CellRecord> = {}): CellRecord {
  return cell(1, {
    cell: run,
    repeat: run,
    label: `run ${run + 1}`,
    prefix: "",
    requests: 1,
    ttftMs: summarise([40 + run]),
    tpotMs: summarise([16 + run / 10]),
    tokens: { output: 1500, delivered: 1500, isEstimated: false },
    metrics: {
      decode_tok_s_server: 62.5 - run * 0.4,
      decode_tok_s_client: 61 - run,
      gpu_rail_energy_j: 7042,
      gpu_rail_joules_per_token: 4.695,
      gpu_rail_mean_power_w: 287.4,
      ...estimated(7180, 1500),
    },
    ...more,
  });
}
