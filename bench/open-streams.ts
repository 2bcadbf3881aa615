import { setTimeout as sleep } from "node:timers/promises";
import { LoadPool } from "../src/load/load-pool.ts";
import { Connections } from "../src/stream/connections.ts";
import { streamRequest } from "../src/stream/stream-request.ts";
import { parseTarget } from "../src/target/parse-target.ts";
import { median } from "./median.ts";

/** Memory that open streams take, per stream. */
export interface OpenStreams {
  readonly streams: number;
  /** Heap, buffers and what hangs on them, garbage collected. */
  readonly usedBytes: number;
  readonly rssBytes: number;
}

const STREAMS = 2000;

/** Opens streams that have brought a few events and then are quiet; measures them open. */
export async function openStreams(url: string): Promise<OpenStreams> {
  const connections = new Connections();
  const stop = new AbortController();
  await open(url, 50, connections, stop.signal);
  const before = memory();
  await open(url, STREAMS, connections, stop.signal);
  const after = memory();
  stop.abort();
  connections.close();
  return {
    streams: STREAMS,
    usedBytes: (after.used - before.used) / STREAMS,
    rssBytes: (after.rss - before.rss) / STREAMS,
  };
}

async function open(
  url: string,
  count: number,
  connections: Connections,
  signal: AbortSignal,
): Promise<void> {
  const target = parseTarget(url, { model: "instant" });
  const body = {
    model: "instant",
    messages: [{ role: "user", content: "bench" }],
    max_tokens: 1000,
    instant: { every_ms: 1000, phase: "spread" },
  };
  // They are open when this returns; they end when the signal aborts.
  for (let i = 0; i < count; i++) void streamRequest(target, body, { connections, signal });
  await sleep(3000);
}

function memory(): { used: number; rss: number } {
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  // `external` has the buffers in it.
  return { used: heapUsed + external, rss };
}

/** How the memory of the whole program went over a soak. */
export interface Soak {
  readonly minutes: number;
  readonly events: number;
  readonly failed: number;
  /** Resident memory of the second and of the last quarter, medians, in MB. */
  readonly earlyMb: number;
  readonly lateMb: number;
  readonly points: readonly { readonly atS: number; readonly rssMb: number }[];
}

/** 1,000 streams without a pause, each replaced when it ends, for so long. */
export async function soak(url: string, seconds: number): Promise<Soak> {
  const pool = await LoadPool.open(parseTarget(url, { model: "instant" }), 1);
  const points: { atS: number; rssMb: number }[] = [];
  const startMs = performance.now();
  const timer = setInterval(
    () => {
      const atS = (performance.now() - startMs) / 1000;
      points.push({ atS, rssMb: process.memoryUsage.rss() / 1e6 });
    },
    Math.min(5000, (seconds * 1000) / 40),
  );
  const { counts } = await pool.run({
    plan: { kind: "closed", concurrency: 1000, durationMs: seconds * 1000 },
    workload: {
      kind: "bodies",
      name: "soak",
      bodies: [{ messages: [{ role: "user", content: "soak" }] }],
      outputTokens: 200,
    },
    settings: { model: "instant", fields: { instant: { every_ms: 20, phase: "spread" } } },
  });
  clearInterval(timer);
  await pool.close();
  const quarter = (n: number): number[] =>
    points
      .filter(({ atS }) => atS >= (n * seconds) / 4 && atS < ((n + 1) * seconds) / 4)
      .map(({ rssMb }) => rssMb);
  return {
    minutes: seconds / 60,
    events: counts.tokenEvents,
    failed: counts.failed,
    earlyMb: median(quarter(1)),
    lateMb: median(quarter(3)),
    points,
  };
}
