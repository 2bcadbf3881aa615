import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Peer } from "./peer.ts";

interface Report {
  readonly request_count: { readonly avg: number };
  readonly time_to_first_token: { readonly p50: number };
  readonly inter_token_latency: { readonly p50: number };
  readonly output_token_throughput: { readonly avg: number };
}

/** NVIDIA's AIPerf; its `inter_token_latency` is (last − first)/(n − 1) of each request. */
export const aiperf: Peer = {
  name: "aiperf",
  tool: { name: "aiperf", version: "0.13.0", python3Minor: 10 },
  remarks: ["counts tokens by the server's usage, as it advises where tokenizers differ"],
  command: (one, binDir) => ({
    program: join(binDir, "aiperf"),
    args: [
      ...["profile", "--model", one.model, "--url", one.url],
      ...["--endpoint-type", "chat", "--streaming"],
      ...["--tokenizer", one.tokenizerDir, "--use-server-token-count"],
      ...["--concurrency", String(one.concurrency), "--request-count", String(one.requests)],
      ...["--isl", String(one.promptTokens), "--osl", String(one.outputTokens)],
      ...["--extra-inputs", "ignore_eos:true"],
      ...["--extra-inputs", `min_tokens:${one.outputTokens}`],
      ...["--ui", "none", "--no-gpu-telemetry", "--no-server-metrics"],
      ...["--export-level", "summary", "--artifact-dir", one.dir],
    ],
    // With it, a folder is not taken for a tokenizer.
    env: { HF_HUB_OFFLINE: "" },
  }),
  report: ({ dir }) => {
    const path = join(dir, "profile_export_aiperf.json");
    const report = JSON.parse(readFileSync(path, "utf8")) as Report;
    return {
      requests: report.request_count.avg,
      ttftP50Ms: report.time_to_first_token.p50,
      tpotP50Ms: report.inter_token_latency.p50,
      outputTokensPerS: report.output_token_throughput.avg,
    };
  },
};
