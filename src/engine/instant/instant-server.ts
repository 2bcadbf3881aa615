import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { EventBytes, wholeReply } from "./event-bytes.ts";
import { errorReply, lookUp, notFound } from "./plain-replies.ts";
import { type ReplyPlan, replyPlan } from "./reply-plan.ts";
import { type InstantRequest, RequestReader } from "./request-reader.ts";
import { Ticker } from "./ticker.ts";

/** A server that answers at once, to show what a client can take. */
export interface InstantServer {
  readonly url: string;
  /** What it has seen: whether a client did what it says. */
  readonly seen: { requests: number; sockets: number; eventsSent: number };
  close(): Promise<void>;
}

/** How much an unpaced stream may have waiting in its socket before it pauses, in bytes. */
const MOST_WAITING = 1_000_000;

/**
 * Starts an OpenAI-compatible server that spends as little CPU as it can and says in each token
 * when it was sent: the token's text is the monotonic clock in nanoseconds.
 *
 * @param port - of the loopback interface; 0 for any that is free.
 */
export async function startInstantServer(port = 0): Promise<InstantServer> {
  const ticker = new Ticker();
  const sockets = new Set<Socket>();
  const seen = { requests: 0, sockets: 0, eventsSent: 0 };
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    seen.sockets++;
    const reader = new RequestReader();
    socket.on("data", (bytes) => {
      try {
        for (const request of reader.push(bytes)) answer(request, socket, ticker, seen);
      } catch (error) {
        socket.end(errorReply(error as Error));
      }
    });
    // A client that goes away is no event here.
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async close() {
      ticker.stop();
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

const events = { chat: new EventBytes(true), text: new EventBytes(false) };

function answer(
  request: InstantRequest,
  socket: Socket,
  ticker: Ticker,
  seen: InstantServer["seen"],
): void {
  if (request.method === "GET") {
    socket.write(lookUp(request.path, seen));
    return;
  }
  if (!request.path.endsWith("/completions")) {
    socket.write(notFound(request.path));
    return;
  }
  seen.requests++;
  const plan = replyPlan(request.path, request.body);
  if (!plan.isStreamed) {
    socket.write(wholeReply(plan.isChat, plan.events));
    return;
  }
  if (plan.everyMs > 0) streamPaced(plan, socket, ticker, seen);
  else streamAtOnce(plan, socket, seen);
}

function streamPaced(
  plan: ReplyPlan,
  socket: Socket,
  ticker: Ticker,
  seen: InstantServer["seen"],
): void {
  const bytes = plan.isChat ? events.chat : events.text;
  socket.write(bytes.head);
  let left = plan.events;
  const nowMs = performance.now();
  const { everyMs } = plan;
  ticker.add({
    everyMs,
    // Together: at the next multiple of the step, as all streams of a batch are.
    nextMs:
      plan.phase === "together"
        ? (Math.floor(nowMs / everyMs) + 1) * everyMs
        : nowMs + Math.random() * everyMs,
    tick() {
      if (socket.destroyed) return false;
      if (left > 0) {
        socket.write(bytes.stamped(1));
        seen.eventsSent++;
        left--;
      }
      if (left > 0) return true;
      socket.write(bytes.tail(plan.events, plan.wantsUsage));
      return false;
    },
  });
}

function streamAtOnce(plan: ReplyPlan, socket: Socket, seen: InstantServer["seen"]): void {
  const bytes = plan.isChat ? events.chat : events.text;
  if (plan.events <= plan.eventsPerWrite) {
    // A short reply is one write: whoever takes many of them pays for every read.
    const tail = bytes.tail(plan.events, plan.wantsUsage);
    socket.write(Buffer.concat([bytes.head, bytes.stamped(plan.events), tail]));
    seen.eventsSent += plan.events;
    return;
  }
  socket.write(bytes.head);
  let left = plan.events;
  const pump = (): void => {
    while (left > 0) {
      if (socket.destroyed) return;
      if (socket.writableLength > MOST_WAITING) {
        socket.once("drain", pump);
        return;
      }
      const count = Math.min(left, plan.eventsPerWrite);
      socket.write(bytes.stamped(count));
      seen.eventsSent += count;
      left -= count;
      if (left > 0 && plan.eventsPerWrite === 1) {
        // One event in one segment: the next one goes in a turn of its own.
        setImmediate(pump);
        return;
      }
    }
    socket.write(bytes.tail(plan.events, plan.wantsUsage));
  };
  pump();
}
