import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Peer, PeerCase } from "./peer.ts";

interface Figure {
  readonly median: number;
}

interface Report {
  readonly successes: {
    readonly count: number;
    /** In seconds. */
    readonly latency: {
      readonly time_to_first_token: Figure;
      readonly time_per_output_token: Figure;
    };
    readonly throughput: { readonly output_tokens_per_sec: number };
  };
}

/** Kubernetes' inference-perf, told what to do by a file. */
export const inferencePerf: Peer = {
  name: "inference-perf",
  tool: { name: "inference-perf", version: "0.7.0", python3Minor: 12 },
  remarks: ["/v1/completions: its synthetic prompts are not for chat"],
  command: (one, binDir) => {
    const path = join(one.dir, "config.json");
    // JSON is YAML.
    writeFileSync(path, JSON.stringify(configOf(one), null, 2));
    return {
      program: join(binDir, "inference-perf"),
      args: ["--config_file", path],
      env: { HF_HUB_OFFLINE: "1" },
    };
  },
  report: ({ dir }) => {
    const path = join(dir, "reports", "summary_lifecycle_metrics.json");
    const { successes } = JSON.parse(readFileSync(path, "utf8")) as Report;
    return {
      requests: successes.count,
      ttftP50Ms: successes.latency.time_to_first_token.median * 1000,
      tpotP50Ms: successes.latency.time_per_output_token.median * 1000,
      outputTokensPerS: successes.throughput.output_tokens_per_sec,
    };
  },
};

function configOf(one: PeerCase): object {
  const { url, model, concurrency, requests } = one;
  const always = (tokens: number): object => ({
    type: "fixed",
    min: tokens,
    max: tokens,
    mean: tokens,
    std_dev: 0,
    total_count: requests,
  });
  return {
    api: { type: "completion", streaming: true },
    data: {
      type: "random",
      input_distribution: always(one.promptTokens),
      output_distribution: always(one.outputTokens),
    },
    load: {
      type: "concurrent",
      stages: [{ num_requests: requests, concurrency_level: concurrency }],
    },
    server: { type: "vllm", model_name: model, base_url: url, ignore_eos: true },
    tokenizer: { pretrained_model_name_or_path: one.tokenizerDir },
    storage: { local_storage: { path: join(one.dir, "reports") } },
    report: { request_lifecycle: { summary: true, use_server_output_tokens: true } },
  };
}
