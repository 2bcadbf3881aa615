import { clockOriginNs } from "../clock.ts";
import { LoadPool, type LoadResult } from "../load/load-pool.ts";
import type { Ended } from "../load/messages.ts";
import { Distribution } from "../stats/distribution.ts";
import type { Summary } from "../stats/summary.ts";
import type { Target } from "../target/target.ts";

/** How the instant server is asked to answer. */
export type RooflineMode =
  /** Each stream an event every 20 ms, each at a time of its own. */
  | "spread"
  /** The same, all streams at the same moment, as the decode steps of an engine are. */
  | "together"
  /** As fast as it goes, one event in one write. */
  | "flood"
  /** As fast as it goes, a hundred events in one write. */
  | "flood-100"
  /** Replies of one token, one request after the other. */
  | "short";

export interface RooflineCase {
  readonly mode: RooflineMode;
  readonly threads: number;
  readonly streams: number;
  /** About how long it runs. */
  readonly seconds: number;
}

/** What the client took in one case. */
export interface RooflineRow extends RooflineCase {
  readonly ranS: number;
  /** What a paced server was asked to send; absent when it sends as fast as it goes. */
  readonly askedEventsPerS?: number;
  readonly eventsPerS: number;
  readonly requestsPerS: number;
  /** Whether every event that was asked for came. */
  readonly isComplete: boolean;
  /** CPU of the load threads; absent where procfs does not tell. */
  readonly cpuUsPerEvent?: number;
  readonly cpuUsPerRequest?: number;
  /** Arrival stamp minus the server's own send stamp, in ms; absent when events are not stamped. */
  readonly stampErrorMs?: Summary;
  /** Largest share of the time that a load thread was ready to run and did not get a core. */
  readonly waitShare?: number;
  /** Largest share of the time that a load thread's event loop was busy. */
  readonly busyShare: number;
  readonly isSaturated: boolean;
  readonly why: readonly string[];
}

/** Time between two events of a paced stream, in ms. */
const PACE_MS = 20;

/** A flood's length is not known before: one in steps of so many events for each stream. */
const FLOOD_EVENTS = 500;

/** Measures one case after the other; yields each at once, so that a later failure loses nothing. */
export async function* roofline(
  target: Target,
  cases: readonly RooflineCase[],
  signal?: AbortSignal,
): AsyncGenerator<RooflineRow, void, void> {
  for (const one of cases) {
    signal?.throwIfAborted();
    yield await measureCase(target, one, signal);
  }
}

async function measureCase(
  target: Target,
  one: RooflineCase,
  signal: AbortSignal | undefined,
): Promise<RooflineRow> {
  const pool = await LoadPool.open(target, one.threads);
  try {
    // Compiles what will be measured, and opens the connections.
    await runCase(pool, { ...one, seconds: Math.min(1, one.seconds) }, () => undefined, signal);
    const errorsMs = new Distribution();
    const isStamped = isPaced(one.mode);
    const result = await runCase(
      pool,
      one,
      (ended) => {
        if (isStamped) addStampErrors(ended, errorsMs);
      },
      signal,
    );
    signal?.throwIfAborted();
    return rowOf(one, result, isStamped ? errorsMs.summary() : undefined);
  } finally {
    await pool.close();
  }
}

function runCase(
  pool: LoadPool,
  { mode, streams, seconds }: RooflineCase,
  onEnded: (ended: Ended) => void,
  signal: AbortSignal | undefined,
): Promise<LoadResult> {
  const outputTokens = eventsOf(mode, seconds);
  const instant = {
    every_ms: isPaced(mode) ? PACE_MS : 0,
    phase: mode === "spread" ? "spread" : "together",
    events_per_write: mode === "flood-100" ? 100 : 1,
  };
  const end = isPaced(mode) ? { requests: streams } : { durationMs: seconds * 1000 };
  return pool.run({
    plan: { kind: "closed", concurrency: streams, ...end },
    workload: {
      kind: "bodies",
      name: "roofline",
      bodies: [{ messages: [{ role: "user", content: "roofline" }] }],
      outputTokens,
    },
    settings: { model: "instant", fields: { instant } },
    keepText: isPaced(mode),
    onEnded,
    ...(signal === undefined ? {} : { signal }),
  });
}

function eventsOf(mode: RooflineMode, seconds: number): number {
  if (mode === "short") return 1;
  return isPaced(mode) ? Math.max(1, Math.round((seconds * 1000) / PACE_MS)) : FLOOD_EVENTS;
}

function isPaced(mode: RooflineMode): boolean {
  return mode === "spread" || mode === "together";
}

/** Each token's text is the time at which the server sent it, on the clock that all processes share. */
function addStampErrors({ outcome }: Ended, errorsMs: Distribution): void {
  const stamps = outcome.text?.trim().split(" ") ?? [];
  for (const [i, stamp] of stamps.entries()) {
    const sentMs = Number(BigInt(stamp) - clockOriginNs) / 1e6;
    errorsMs.add(Math.max(0, outcome.tokenAtMs[i]! - sentMs));
  }
}

function rowOf(
  one: RooflineCase,
  { counts, health, startMs, endMs }: LoadResult,
  stampErrorMs: Summary | undefined,
): RooflineRow {
  const ranS = (endMs - startMs) / 1000;
  const cpus = health.threads.map(({ cpuShare }) => cpuShare);
  const cpuUs = cpus.some((share) => share === undefined)
    ? undefined
    : cpus.reduce<number>((sum, share) => sum + (share ?? 0), 0) * health.windowS * 1e6;
  const waits = health.threads.flatMap(({ runQueueWaitShare }) => runQueueWaitShare ?? []);
  const perRequest = eventsOf(one.mode, one.seconds);
  return {
    ...one,
    ranS,
    ...(isPaced(one.mode) ? { askedEventsPerS: (one.streams * 1000) / PACE_MS } : {}),
    eventsPerS: counts.tokenEvents / ranS,
    requestsPerS: counts.ended / ranS,
    isComplete: counts.failed === 0 && counts.tokenEvents === counts.ended * perRequest,
    ...(cpuUs === undefined
      ? {}
      : { cpuUsPerEvent: cpuUs / counts.tokenEvents, cpuUsPerRequest: cpuUs / counts.ended }),
    ...(stampErrorMs === undefined ? {} : { stampErrorMs }),
    ...(waits.length === 0 ? {} : { waitShare: Math.max(...waits) }),
    busyShare: Math.max(...health.threads.map(({ loopBusyShare }) => loopBusyShare)),
    isSaturated: health.isSaturated,
    why: health.why,
  };
}
