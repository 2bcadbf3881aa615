import { nowMs } from "../clock.ts";
import type { Connections } from "../stream/connections.ts";
import { streamRequest } from "../stream/stream-request.ts";
import type { RequestTarget } from "../target/request-target.ts";
import { openWorkload } from "../workloads/workload-spec.ts";
import type { Ended, RunOrder, ThreadLoop } from "./messages.ts";
import { requestBody } from "./request-body.ts";
import { WorkShare } from "./work-share.ts";

/** What one thread needs to run its share. */
export interface ThreadRunOptions {
  readonly order: RunOrder;
  readonly target: RequestTarget;
  readonly connections: Connections;
  readonly signal: AbortSignal;
  readonly onEnded: (ended: Ended) => void;
}

/** Sends this thread's share of a run's requests; resolves when the last one has ended. */
export async function threadRun(options: ThreadRunOptions): Promise<void> {
  const { loop } = options.order;
  const send = sender(options);
  if (loop.kind === "closed") await closedLoop(loop, options, send);
  else await openLoop(loop, options, send);
}

/**
 * Sends request `index`.
 *
 * @param onSettled - told when its reply has ended, before that is parsed: a slot is free from then.
 * @returns when it has been parsed and told.
 */
type Send = (
  index: number,
  times: { readonly freeMs: number; readonly dueMs?: number },
  onSettled?: () => void,
) => Promise<void>;

function sender({ order, target, connections, signal, onEnded }: ThreadRunOptions): Send {
  const workload = openWorkload(order.workload);
  const { settings, timeoutMs, idleTimeoutMs, keepText } = order;
  const { includeUsage } = settings;
  return async (index, { freeMs, dueMs }, onSettled) => {
    const outcome = await streamRequest(target, requestBody(workload.requestAt(index), settings), {
      keepText,
      connections,
      signal,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
      ...(includeUsage === undefined ? {} : { includeUsage }),
      ...(dueMs === undefined ? {} : { dueMs }),
      ...(onSettled === undefined ? {} : { onSettled }),
    });
    const { sentMs } = outcome;
    onEnded({ index, outcome, sendLagMs: sentMs === null ? null : Math.max(0, sentMs - freeMs) });
  };
}

/** A thousand requests take tens of ms to write, while the first replies come: in slices. */
const SLICE_MS = 2;

async function closedLoop(
  { slots, untilMs = Number.POSITIVE_INFINITY }: Extract<ThreadLoop, { kind: "closed" }>,
  { order, signal }: ThreadRunOptions,
  send: Send,
): Promise<void> {
  const share = new WorkShare(order.total, order.shared);
  await waitUntil(order.startMs, signal);
  const running = new Set<Promise<void>>();
  const mayGoOn = (): boolean => !signal.aborted && nowMs() < untilMs;
  // A slot starts its next request in the very turn in which its last reply ended.
  const fill = (): void => {
    const index = mayGoOn() ? share.take() : undefined;
    if (index === undefined) return;
    const refill = once(fill);
    // Where nobody is told that it settled (it was never sent, say), the slot is free when it ended.
    const sending = send(index, { freeMs: nowMs() }, refill)
      .then(refill)
      .finally(() => running.delete(sending));
    running.add(sending);
  };
  const slices = new Slices();
  for (let slot = 0; slot < slots; slot++) {
    fill();
    await slices.pause();
  }
  while (running.size > 0) await Promise.all(running);
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}

async function openLoop(
  { indexes, dueMs }: Extract<ThreadLoop, { kind: "open" }>,
  { order, signal }: ThreadRunOptions,
  send: Send,
): Promise<void> {
  const share = new WorkShare(order.total, order.shared);
  const running: Promise<void>[] = [];
  const slices = new Slices();
  for (const [i, index] of indexes.entries()) {
    const atMs = order.startMs + dueMs[i]!;
    await waitUntil(atMs, signal);
    if (signal.aborted || share.isStopped) break;
    running.push(send(index, { freeMs: atMs, dueMs: atMs }));
    // Sends that are late follow each other without a wait: replies must be read between them.
    await slices.pause();
  }
  await Promise.all(running);
}

/** Gives the sockets a turn after each slice of sending. */
class Slices {
  #endMs = nowMs() + SLICE_MS;

  async pause(): Promise<void> {
    if (nowMs() < this.#endMs) return;
    await nextTurn();
    this.#endMs = nowMs() + SLICE_MS;
  }
}

/** Timers are whole milliseconds and may come early; the rest is waited for turn by turn. */
const LAST_MS = 2;

/** Waits until the clock says `atMs`, or the signal aborts. What is late already is not waited for. */
async function waitUntil(atMs: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const leftMs = atMs - nowMs();
    if (leftMs <= 0) return;
    if (leftMs > LAST_MS) await pause(leftMs - LAST_MS, signal);
    else await nextTurn();
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function pause(forMs: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  await new Promise<void>((resolve) => {
    timer = setTimeout(resolve, forMs);
    onAbort = resolve;
    signal.addEventListener("abort", onAbort, { once: true });
  });
  clearTimeout(timer);
  if (onAbort) signal.removeEventListener("abort", onAbort);
}
