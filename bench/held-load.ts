import { setTimeout as sleep } from "node:timers/promises";
import { nowMs } from "../src/clock.ts";
import type { EngineReply } from "../src/engine/engine-truth.ts";
import type { EngineStatus } from "../src/engine/server/engine-status.ts";
import { type Engine, startEngine } from "../src/engine/start-engine.ts";
import { LoadPool } from "../src/load/load-pool.ts";
import type { Ended } from "../src/load/messages.ts";
import { parseTarget } from "../src/target/parse-target.ts";
import { loadAverage, type ProcessCost, processCost } from "./process-cost.ts";
import { type Quantiles, quantiles } from "./quantiles.ts";
import { compareStamps, readStamps, type StampedStream } from "./stamped-streams.ts";

/** One way to send the tokens of a batch, with or without the log of all send times. */
export interface HeldCase {
  readonly streams: number;
  readonly phases: "together" | "spread";
  readonly hasTruth: boolean;
  /** How long all streams run at once. */
  readonly seconds: number;
}

/** What the engine did while all streams ran: without the time in which they begin and end. */
export interface HeldRun extends HeldCase {
  readonly eventsPerS: number;
  readonly engineCores: number;
  readonly engineUsPerEvent: number;
  /** Share of the time that the engine was ready to run and got no core: what others took. */
  readonly engineWaitShare: number;
  readonly clientCores: number;
  readonly steps: number;
  readonly slips: number;
  /** Send time minus due time, in ms; only where the truth is kept, as all that follows. */
  readonly lagMs?: Quantiles;
  /** The same while the streams begin: that many requests at once hold the engine up. */
  readonly beginLagMs?: Quantiles;
  /** The client's arrival stamp minus the send time. */
  readonly arrivalMs?: Quantiles;
  /** Stamps that a few raw streams showed, and how many are equal to the truth. */
  readonly stamps?: { readonly stamps: number; readonly equal: number };
  readonly failed: number;
  readonly loadAverage: number;
}

export const STEP_MS = 20;
const MODEL = "sim-tiny";
const RAW_STREAMS = 10;
/** In which all streams begin, and in which the last step of the window is over. */
const BEGIN_S = 2;
const END_S = 1;

/** Steps of exactly 20 ms, whatever is in them, and room for all streams. */
const EVEN_STEPS = {
  stepBaseMs: STEP_MS,
  stepPerSequenceMs: 0,
  stepPerKiloContextMs: 0,
  maxRunning: 10_000,
  kvTokens: 1e8,
  stepTokens: 1e7,
  prefillTokensPerS: 1e9,
  "power.limitW": 100_000,
};

/** Holds so many streams on an engine that is a process of its own, and asks it for the truth. */
export async function holdLoad(one: HeldCase): Promise<HeldRun> {
  const { phases, hasTruth } = one;
  const engine = await startEngine({ profile: "tiny", phases, truth: hasTruth, set: EVEN_STEPS });
  const pool = await LoadPool.open(parseTarget(engine.url, { model: MODEL }), 1);
  try {
    await run(pool, one.streams, 100, () => undefined);
    return await measure(engine, pool, one);
  } finally {
    await pool.close();
    await engine.close();
  }
}

async function measure(engine: Engine, pool: LoadPool, one: HeldCase): Promise<HeldRun> {
  const events = Math.round(((BEGIN_S + one.seconds + END_S) * 1000) / STEP_MS);
  const ended: Ended[] = [];
  const running = run(pool, one.streams, events, (request) => ended.push(request));
  const raw = Promise.all(
    Array.from({ length: one.hasTruth ? RAW_STREAMS : 0 }, () =>
      readStamps(engine.url, { ...body(0), max_tokens: events, ignore_eos: true }),
    ),
  );
  await sleep(BEGIN_S * 1000);
  const from = await look(engine);
  await sleep(one.seconds * 1000);
  const to = await look(engine);
  const { counts, health } = await running;
  const replies = one.hasTruth ? await engine.truth.replies() : undefined;
  return {
    ...one,
    ...costsOf(from, to),
    clientCores: health.threads.reduce((sum, { cpuShare = Number.NaN }) => sum + cpuShare, 0),
    ...(replies && truthsOf(replies.slice(one.streams), ended, await raw, from.atMs, to.atMs)),
    failed: counts.failed,
    loadAverage: loadAverage(),
  };
}

/** Each stream has a prompt of another length, so that its reply is found among the truths. */
function run(
  pool: LoadPool,
  streams: number,
  outputTokens: number,
  onEnded: (ended: Ended) => void,
): ReturnType<LoadPool["run"]> {
  const bodies = Array.from({ length: streams }, (_, i) => ({ messages: body(i).messages }));
  return pool.run({
    plan: { kind: "closed", concurrency: streams, requests: streams },
    workload: { kind: "bodies", name: "held", bodies, outputTokens },
    settings: { model: MODEL, hasFixedLength: true },
    onEnded,
  });
}

function body(words: number) {
  return {
    model: MODEL,
    messages: [{ role: "user" as const, content: `go${" on".repeat(words)}` }],
  };
}

interface Look {
  readonly atMs: number;
  readonly status: EngineStatus;
  readonly cost: ProcessCost;
}

async function look({ url, pid }: Engine): Promise<Look> {
  const status = (await (await fetch(`${url}/engine`)).json()) as EngineStatus;
  return { atMs: nowMs(), status, cost: processCost(pid) };
}

function costsOf(from: Look, to: Look) {
  const ranS = (to.cost.atMs - from.cost.atMs) / 1000;
  const cpuS = to.cost.cpuS - from.cost.cpuS;
  const events = to.status.counters.tokenEvents - from.status.counters.tokenEvents;
  return {
    eventsPerS: events / (to.status.uptimeS - from.status.uptimeS),
    engineCores: cpuS / ranS,
    engineUsPerEvent: (cpuS * 1e6) / events,
    engineWaitShare: (to.cost.waitS - from.cost.waitS) / ranS,
    steps: to.status.steps.done - from.status.steps.done,
    slips: to.status.steps.slips - from.status.steps.slips,
  };
}

function truthsOf(
  replies: readonly EngineReply[],
  ended: readonly Ended[],
  raw: readonly StampedStream[],
  fromMs: number,
  toMs: number,
): Pick<HeldRun, "lagMs" | "beginLagMs" | "arrivalMs" | "stamps"> {
  const rawIds = new Set(raw.map(({ replyId }) => replyId));
  const arrivals = new Map(ended.map(({ outcome }) => [outcome.promptTokens, outcome.tokenAtMs]));
  const lagMs: number[] = [];
  const beginLagMs: number[] = [];
  const arrivalMs: number[] = [];
  for (const { replyId, promptTokens, sentMs, dueMs } of replies) {
    const arrivedMs = rawIds.has(replyId) ? undefined : arrivals.get(promptTokens);
    for (const [i, atMs] of sentMs.entries()) {
      if (dueMs[i]! < fromMs) beginLagMs.push(atMs - dueMs[i]!);
      if (dueMs[i]! < fromMs || dueMs[i]! >= toMs) continue;
      lagMs.push(atMs - dueMs[i]!);
      if (arrivedMs) arrivalMs.push(arrivedMs[i]! - atMs);
    }
  }
  return {
    lagMs: quantiles(lagMs),
    beginLagMs: quantiles(beginLagMs),
    arrivalMs: quantiles(arrivalMs),
    stamps: compareStamps(raw, replies),
  };
}
