import { clockOriginNs } from "../../src/clock.ts";
import { LoadPool, type LoadResult } from "../../src/load/load-pool.ts";
import { parseTarget } from "../../src/target/parse-target.ts";
import { type ClientCase, type ReadStream, stampErrors, stampMs, tell } from "./client-case.ts";

/** joulemark's own client as every benchmark uses it: a pool with one load thread. */
const one = JSON.parse(process.argv[2]!) as ClientCase;
const ORIGIN_MS = Number(clockOriginNs / 1_000_000n) + Number(clockOriginNs % 1_000_000n) / 1e6;
const pool = await LoadPool.open(parseTarget(one.url, { model: "instant" }), 1);
await readAll(50, () => undefined);
tell("start");
const ended: { text: string; tokenAtMs: Float64Array }[] = [];
const before = process.cpuUsage();
const startMs = stampMs();
const { health } = await readAll(one.eventsPerStream, (text, tokenAtMs) =>
  ended.push({ text, tokenAtMs }),
);
const wallS = (stampMs() - startMs) / 1000;
const { user, system } = process.cpuUsage(before);
const [thread] = health.threads;
tell("end", {
  wallS,
  cpuS: (user + system) / 1e6,
  threadCpuS: (thread?.cpuShare ?? Number.NaN) * health.windowS,
  ...stampErrors(ended.map(readStream)),
  loopDelayP99Ms: thread?.loopLagP99Ms,
});
await pool.close();

function readStream({ text, tokenAtMs }: (typeof ended)[number]): ReadStream {
  return {
    texts: text.trim().split(" "),
    atMs: Array.from(tokenAtMs, (atMs) => atMs + ORIGIN_MS),
  };
}

function readAll(
  outputTokens: number,
  onEnded: (text: string, tokenAtMs: Float64Array) => void,
): Promise<LoadResult> {
  const { streams, everyMs, phase } = one;
  return pool.run({
    plan: { kind: "closed", concurrency: streams, requests: streams },
    workload: {
      kind: "bodies",
      name: "bench",
      bodies: [{ messages: [{ role: "user", content: "bench" }] }],
      outputTokens,
    },
    settings: { model: "instant", fields: { instant: { every_ms: everyMs, phase } } },
    keepText: true,
    onEnded: ({ outcome }) => onEnded(outcome.text ?? "", outcome.tokenAtMs),
  });
}
