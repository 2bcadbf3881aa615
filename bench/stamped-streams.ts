import { clockOriginNs } from "../src/clock.ts";
import type { EngineReply } from "../src/engine/engine-truth.ts";

/** Send times that one raw stream showed, in ms as `nowMs` counts. */
export interface StampedStream {
  readonly replyId: string;
  readonly sentMs: readonly number[];
}

interface StampedEvent {
  readonly id: string;
  readonly sent_ns?: string;
}

/** Reads one stream without joulemark's client, for the stamps in its events. */
export async function readStamps(url: string, body: object): Promise<StampedStream> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ ...body, stream: true }),
  });
  const events = (await response.text())
    .split("\n\n")
    .filter((event) => event.startsWith("data: {"))
    .map((event) => JSON.parse(event.slice("data: ".length)) as StampedEvent);
  const sentMs = events.flatMap(({ sent_ns }) =>
    sent_ns === undefined ? [] : Number(BigInt(sent_ns) - clockOriginNs) / 1e6,
  );
  return { replyId: events[0]!.id, sentMs };
}

/** How many of the stamps are, to the nanosecond, what the engine's truth says of that event. */
export function compareStamps(
  streams: readonly StampedStream[],
  replies: readonly EngineReply[],
): { readonly stamps: number; readonly equal: number } {
  const truthById = new Map(replies.map((reply) => [reply.replyId, reply.sentMs]));
  let stamps = 0;
  let equal = 0;
  for (const { replyId, sentMs } of streams) {
    const truth = truthById.get(replyId) ?? [];
    stamps += Math.max(sentMs.length, truth.length);
    equal += sentMs.filter((atMs, i) => atMs === truth[i]).length;
  }
  return { stamps, equal };
}
