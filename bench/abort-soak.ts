import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { EngineStatus } from "../src/engine/server/engine-status.ts";
import { type Engine, startEngine } from "../src/engine/start-engine.ts";
import { loadAverage, residentMb } from "./process-cost.ts";

/** How an engine's memory went while clients went away in the middle of their replies. */
export interface AbortSoak {
  readonly hasTruth: boolean;
  readonly streams: number;
  readonly seconds: number;
  /** Resident memory of the engine, by streams so far. */
  readonly points: readonly { readonly streams: number; readonly rssMb: number }[];
  /** By how much it grew for each stream over the second half. */
  readonly growthBytesPerStream: number;
  /** What the engine still holds when all have gone; all of it should be 0. */
  readonly left: { readonly waiting: number; readonly running: number; readonly kvTokens: number };
  readonly abandoned: number;
  /** Token events that were sent; where the truth is kept, they take most of the memory. */
  readonly events: number;
  readonly loadAverage: number;
}

const POINTS = 10;
const AT_ONCE = 200;
const REQUEST_BODY = JSON.stringify({
  model: "sim-tiny",
  messages: [{ role: "user", content: "a reply that nobody reads to its end" }],
  stream: true,
  max_tokens: 1000,
  ignore_eos: true,
});
const REQUEST = `POST /v1/chat/completions HTTP/1.1\r\nhost: engine\r\ncontent-type: application/json\r\ncontent-length: ${REQUEST_BODY.length}\r\n\r\n${REQUEST_BODY}`;

/** Opens so many streams, each for a few events, and breaks every one of them off. */
export async function abortSoak(streams: number, hasTruth: boolean): Promise<AbortSoak> {
  const engine = await startEngine({ profile: "tiny", truth: hasTruth });
  const points: AbortSoak["points"][number][] = [];
  const startMs = performance.now();
  try {
    for (let done = 0; done < streams; ) {
      const next = Math.round(((points.length + 1) * streams) / POINTS);
      await abortMany(engine, done, next);
      done = next;
      points.push({ streams: done, rssMb: residentMb(engine.pid) });
    }
    const seconds = (performance.now() - startMs) / 1000;
    await sleep(1000);
    const { counts, counters } = await statusOf(engine);
    const [half, last] = [points[POINTS / 2 - 1]!, points.at(-1)!];
    return {
      hasTruth,
      streams,
      seconds,
      points,
      growthBytesPerStream: ((last.rssMb - half.rssMb) * 1e6) / (last.streams - half.streams),
      left: { waiting: counts.waiting, running: counts.running, kvTokens: counts.kvTokens },
      abandoned: counters.ends.abandoned,
      events: counters.tokenEvents,
      loadAverage: loadAverage(),
    };
  } finally {
    await engine.close();
  }
}

async function statusOf({ url }: Engine): Promise<EngineStatus> {
  return (await (await fetch(`${url}/engine`)).json()) as EngineStatus;
}

/** Streams `from` to before `to`, so many of them at once. */
async function abortMany({ url }: Engine, from: number, to: number): Promise<void> {
  const port = Number(new URL(url).port);
  let next = from;
  const goOn = async (): Promise<void> => {
    while (next < to) await abortOne(port, next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, goOn));
}

/** Breaks off after the head or after up to three reads; every other time with a reset. */
function abortOne(port: number, number: number): Promise<void> {
  return new Promise((resolve) => {
    let readsLeft = 1 + (number % 4);
    const socket = connect(port, "127.0.0.1", () => socket.write(REQUEST));
    socket.on("data", () => {
      if (--readsLeft > 0) return;
      if (number % 2 === 0) socket.destroy();
      else socket.resetAndDestroy();
    });
    // The engine may be the first to find the connection broken.
    socket.on("error", () => socket.destroy());
    socket.on("close", () => resolve());
  });
}
