import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Peer } from "./peer.ts";

interface Figure {
  readonly successful: { readonly median: number; readonly mean: number };
}

interface Report {
  readonly benchmarks: readonly {
    readonly metrics: {
      readonly request_totals: { readonly successful: number };
      readonly time_to_first_token_ms: Figure;
      readonly inter_token_latency_ms: Figure;
      readonly output_tokens_per_second: Figure;
    };
  }[];
}

/** GuideLLM; its TPOT has the TTFT in it, its `inter_token_latency` is (last − first)/(n − 1). */
export const guidellm: Peer = {
  name: "guidellm",
  tool: { name: "guidellm", version: "0.8.1", python3Minor: 10 },
  remarks: ["asks for a running usage in every event", "its ITL is taken for TPOT"],
  command: (one, binDir) => {
    const { url, model, concurrency, requests, promptTokens, outputTokens } = one;
    return {
      program: join(binDir, "guidellm"),
      args: [
        "run",
        ...["--backend", `kind=openai_http,target=${url},model=${model}`],
        ...["--profile", `kind=concurrent,streams=${concurrency}`],
        ...["--constraint", `kind=max_requests,count=${requests}`],
        ...["--tokenizer", `kind=huggingface_auto,model=${one.tokenizerDir}`],
        "--data",
        `kind=synthetic_text,prompt_tokens=${promptTokens},output_tokens=${outputTokens}`,
        ...["--output", `kind=json,path=${join(one.dir, "report.json")}`],
        "--disable-console",
      ],
      env: { HF_HUB_OFFLINE: "1" },
    };
  },
  report: ({ dir }) => {
    const report = JSON.parse(readFileSync(join(dir, "report.json"), "utf8")) as Report;
    const { metrics } = report.benchmarks[0]!;
    return {
      requests: metrics.request_totals.successful,
      ttftP50Ms: metrics.time_to_first_token_ms.successful.median,
      tpotP50Ms: metrics.inter_token_latency_ms.successful.median,
      outputTokensPerS: metrics.output_tokens_per_second.successful.mean,
    };
  },
};
