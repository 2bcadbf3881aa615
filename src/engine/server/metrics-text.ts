import type { ScheduleCounts } from "../schedule/sequence.ts";
import type { EngineCounters } from "./engine-counters.ts";

/** All that went into one GPU since the engine started. */
export interface GpuEnergy {
  readonly index: number;
  readonly uuid: string;
  readonly name: string;
  readonly energyJ: number;
}

interface Metric {
  readonly name: string;
  readonly kind: "counter" | "gauge";
  readonly help: string;
  readonly values: readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];
}

/**
 * The page of `/metrics`: tokens and requests under the names that vLLM gives them, and the energy
 * of each simulated GPU.
 */
export function metricsText(facts: {
  readonly model: string;
  readonly counts: ScheduleCounts;
  readonly kvRoomTokens: number;
  readonly counters: EngineCounters;
  /** Time of all these figures since the engine's origin. */
  readonly uptimeS: number;
  readonly energies: readonly GpuEnergy[];
}): string {
  const { counts, counters, energies, kvRoomTokens } = facts;
  const labels = { model_name: facts.model, engine: "0" };
  const one = (value: number): Metric["values"] => [[labels, value]];
  const metrics: readonly Metric[] = [
    gauge("vllm:num_requests_running", "Sequences in the running batch.", one(counts.running)),
    gauge("vllm:num_requests_waiting", "Sequences that wait.", one(counts.waiting)),
    gauge(
      "vllm:kv_cache_usage_perc",
      "KV room in use; 1 is all of it.",
      one(counts.kvTokens / kvRoomTokens),
    ),
    counter("vllm:prompt_tokens_total", "Prompt tokens taken.", one(counters.promptTokens)),
    counter("vllm:generation_tokens_total", "Tokens generated.", one(counters.generatedTokens)),
    counter(
      "vllm:prefix_cache_queries_total",
      "Prompt tokens looked up in the prefix cache.",
      one(counts.cacheQueryTokens),
    ),
    counter(
      "vllm:prefix_cache_hits_total",
      "Prompt tokens that the prefix cache had.",
      one(counts.cacheHitTokens),
    ),
    counter(
      "vllm:spec_decode_num_draft_tokens_total",
      "Draft tokens proposed.",
      one(counts.draftTokens),
    ),
    counter(
      "vllm:spec_decode_num_accepted_tokens_total",
      "Draft tokens taken.",
      one(counts.acceptedDraftTokens),
    ),
    counter("vllm:request_success_total", "Finished replies, by finish reason.", [
      [{ ...labels, finished_reason: "stop" }, counters.finishReasons.stop],
      [{ ...labels, finished_reason: "length" }, counters.finishReasons.length],
      [{ ...labels, finished_reason: "abort" }, counters.ends.abandoned],
    ]),
    counter(
      "sim_gpu_energy_joules_total",
      "SIMULATED energy of each GPU of the box since the engine started, other programs too.",
      energies.map(({ index, uuid, name, energyJ }) => [
        { gpu: String(index), uuid, name },
        energyJ,
      ]),
    ),
    gauge(
      "sim_engine_uptime_seconds",
      "Time of these figures since the engine's origin.",
      one(facts.uptimeS),
    ),
  ];
  return metrics.map(metricText).join("");
}

function gauge(name: string, help: string, values: Metric["values"]): Metric {
  return { name, kind: "gauge", help, values };
}

function counter(name: string, help: string, values: Metric["values"]): Metric {
  return { name, kind: "counter", help, values };
}

function metricText({ name, kind, help, values }: Metric): string {
  const lines = values.map(([labels, value]) => `${name}{${labelText(labels)}} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...lines, ""].join("\n");
}

function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`)
    .join(",");
}
