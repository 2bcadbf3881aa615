import { readFileSync } from "node:fs";
import { type EventLoopUtilization, performance } from "node:perf_hooks";
import { nowMs } from "../clock.ts";
import type { ThreadUsage } from "./generator-health.ts";

/** How often the thread looks whether its timers come in time, in ms. */
const PROBE_MS = 20;

/** The most lags that are kept: twenty minutes of them. */
const MOST_LAGS = 60_000;

/** Watches what the thread that it is made in uses, and how late its event loop runs. */
export class ThreadWatch {
  readonly #atStart: EventLoopUtilization = performance.eventLoopUtilization();
  #lagsMs: number[] = [];
  #timer: NodeJS.Timeout | undefined;

  start(): void {
    let dueMs = nowMs() + PROBE_MS;
    this.#timer = setInterval(() => {
      const atMs = nowMs();
      // Timers may come a little early; that is no lag.
      this.#lagsMs.push(Math.max(0, atMs - dueMs));
      dueMs = atMs + PROBE_MS;
      if (this.#lagsMs.length > MOST_LAGS) this.#lagsMs = this.#lagsMs.slice(-MOST_LAGS / 2);
    }, PROBE_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** What was used up to now, and the lags since the last time that this was asked. */
  usage(): ThreadUsage {
    const [cpuNs, waitNs] = schedstat();
    const { active } = performance.eventLoopUtilization(this.#atStart);
    const loopLagsMs = this.#lagsMs;
    this.#lagsMs = [];
    return {
      atMs: nowMs(),
      ...(cpuNs === undefined ? {} : { cpuMs: cpuNs / 1e6 }),
      ...(waitNs === undefined ? {} : { runQueueWaitMs: waitNs / 1e6 }),
      loopBusyMs: active,
      loopLagsMs,
    };
  }
}

/** CPU time and run-queue wait of the calling thread, in ns; empty where procfs does not tell. */
function schedstat(): readonly number[] {
  try {
    return readFileSync("/proc/thread-self/schedstat", "utf8").trim().split(" ").map(Number);
  } catch {
    return [];
  }
}
