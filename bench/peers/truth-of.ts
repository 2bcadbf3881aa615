import type { EngineReply } from "../../src/engine/engine-truth.ts";
import { median } from "../median.ts";

/** What the engine knows of the requests that a peer measured. */
export interface PeerTruth {
  readonly requests: number;
  /** All requests that came from the peer, with what it tried out before it measured. */
  readonly allRequests: number;
  readonly firstArrivedMs: number;
  /**
   * First token sent − request read. A client sees that, the way of both through loopback, and the
   * time that its request lay unread in the engine's socket.
   */
  readonly ttftP50Ms: number;
  /** (last sent − first sent)/(n − 1). */
  readonly tpotP50Ms: number;
  /** All tokens / (last sent − first request read). */
  readonly outputTokensPerS: number;
  /** Most requests that were in the engine at once. */
  readonly mostInFlight: number;
  /** How late the engine sent a token after its schedule had it: it was held up as much itself. */
  readonly lateP50Ms: number;
  readonly lateP99Ms: number;
}

/**
 * The truth about a peer's requests: the last ones of the right length, as many as it measured.
 *
 * @param replies - of this peer alone, in the order in which their requests came.
 * @returns `undefined` where there was no such request.
 */
export function truthOf(
  replies: readonly EngineReply[],
  requests: number,
  outputTokens: number,
): PeerTruth | undefined {
  const whole = replies.filter(
    ({ end, tokens }) => end === "finished" && sumOf(tokens) === outputTokens,
  );
  const measured = whole.slice(-requests);
  if (measured.length === 0) return undefined;
  const firstArrivedMs = Math.min(...measured.map(({ arrivedMs }) => arrivedMs));
  const lastSentMs = Math.max(...measured.map(({ sentMs }) => sentMs.at(-1)!));
  return {
    requests: measured.length,
    allRequests: replies.length,
    firstArrivedMs,
    ttftP50Ms: median(measured.map(({ arrivedMs, sentMs }) => sentMs[0]! - arrivedMs)),
    tpotP50Ms: median(
      measured.map(({ sentMs }) => (sentMs.at(-1)! - sentMs[0]!) / (outputTokens - 1)),
    ),
    outputTokensPerS: (measured.length * outputTokens * 1000) / (lastSentMs - firstArrivedMs),
    mostInFlight: mostInFlight(measured),
    ...lateness(measured),
  };
}

function lateness(replies: readonly EngineReply[]): Pick<PeerTruth, "lateP50Ms" | "lateP99Ms"> {
  const lateMs = replies
    .flatMap(({ sentMs, dueMs }) => sentMs.map((atMs, i) => atMs - dueMs[i]!))
    .sort((a, b) => a - b);
  const at = (share: number): number => lateMs[Math.ceil(share * lateMs.length) - 1]!;
  return { lateP50Ms: at(0.5), lateP99Ms: at(0.99) };
}

function mostInFlight(replies: readonly EngineReply[]): number {
  const changes = replies.flatMap(({ arrivedMs, sentMs }) => [
    { atMs: arrivedMs, by: 1 },
    { atMs: sentMs.at(-1)!, by: -1 },
  ]);
  changes.sort((a, b) => a.atMs - b.atMs);
  let [now, most] = [0, 0];
  for (const { by } of changes) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
