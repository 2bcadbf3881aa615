import { LoadPool } from "../../src/load/load-pool.ts";
import { streamRequest } from "../../src/stream/stream-request.ts";
import { parseTarget } from "../../src/target/parse-target.ts";
import { calibratePrompts } from "../../src/workloads/calibrate-prompts.ts";
import { promptBody } from "../../src/workloads/workload.ts";
import { median } from "../median.ts";
import type { PeerCase, PeerReport } from "./peer.ts";

/** joulemark as a peer: prompts calibrated by the server, a closed loop, figures on stdout. */
const one = JSON.parse(process.argv[2]!) as PeerCase;
const target = parseTarget(one.url, { model: one.model });
const prompts = await calibratePrompts({ targetTokens: one.promptTokens, count: countTokens });
const pool = await LoadPool.open(target, 1);
const ttftMs: number[] = [];
const tpotMs: number[] = [];
let [startMs, endMs, tokens] = [Number.POSITIVE_INFINITY, 0, 0];
await pool.run({
  plan: { kind: "closed", concurrency: one.concurrency, requests: one.requests },
  workload: {
    kind: "synthetic",
    endpoint: "chat",
    series: prompts.series,
    outputTokens: one.outputTokens,
  },
  settings: { model: one.model, hasFixedLength: true },
  onEnded: ({ outcome }) => {
    if (outcome.state !== "ok" || outcome.firstTokenMs === null) return;
    ttftMs.push(outcome.firstTokenMs - outcome.sentMs);
    if (outcome.tpotMs !== null) tpotMs.push(outcome.tpotMs);
    startMs = Math.min(startMs, outcome.sentMs);
    endMs = Math.max(endMs, outcome.lastTokenMs ?? 0);
    tokens += outcome.completionTokens ?? 0;
  },
});
await pool.close();
const report: PeerReport = {
  requests: ttftMs.length,
  ttftP50Ms: median(ttftMs),
  tpotP50Ms: median(tpotMs),
  outputTokensPerS: (tokens * 1000) / (endMs - startMs),
};
console.log(JSON.stringify(report));

async function countTokens(prompt: string): Promise<number | null> {
  const body = { ...promptBody(prompt, "chat"), model: one.model, stream: true, max_tokens: 1 };
  const outcome = await streamRequest(target, {
    ...body,
    stream_options: { include_usage: true },
  });
  return outcome.promptTokens;
}
