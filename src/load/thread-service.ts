import { setMaxListeners } from "node:events";
import type { MessagePort } from "node:worker_threads";
import { Connections } from "../stream/connections.ts";
import { targetFromThread } from "../target/target.ts";
import type { Ended, FromThread, ThreadSetup, ToThread } from "./messages.ts";
import { threadRun } from "./thread-run.ts";
import { ThreadWatch } from "./thread-usage.ts";

/** How many ended requests go into one message, and how long one may wait for it, in ms. */
const BATCH = 64;
const BATCH_MS = 20;

/** Does what the pool says, until it says to close. */
export function serveThread(port: MessagePort, setup: ThreadSetup): void {
  const target = targetFromThread(setup.target);
  const connections = new Connections();
  const watch = new ThreadWatch();
  const post = (message: FromThread, transfer: ArrayBuffer[] = []): void =>
    port.postMessage(message, transfer);
  const outbox = new Outbox(post);
  let running = new AbortController();

  watch.start();
  port.on("message", (message: ToThread) => {
    if (message.kind === "cancel") running.abort();
    else if (message.kind === "usage") post({ kind: "usage", usage: watch.usage() });
    else if (message.kind === "close") {
      running.abort();
      watch.stop();
      connections.close();
      port.close();
    } else {
      running = new AbortController();
      const { signal } = running;
      // Every request in flight listens to it: thousands are no leak.
      setMaxListeners(0, signal);
      void threadRun({
        order: message,
        target,
        connections,
        signal,
        onEnded: (ended) => outbox.add(ended),
      }).then(
        () => {
          outbox.flush();
          post({ kind: "done" });
        },
        (error: unknown) => {
          running.abort();
          outbox.flush();
          post({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
        },
      );
    }
  });
  post({ kind: "ready" });
}

/** Ended requests on their way, several in one message: a message costs more than a request. */
class Outbox {
  readonly #post: (message: FromThread, transfer: ArrayBuffer[]) => void;
  #waiting: Ended[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(post: (message: FromThread, transfer: ArrayBuffer[]) => void) {
    this.#post = post;
  }

  add(ended: Ended): void {
    this.#waiting.push(ended);
    if (this.#waiting.length >= BATCH) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), BATCH_MS);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    const requests = this.#waiting;
    this.#waiting = [];
    this.#post({ kind: "ended", requests }, requests.flatMap(buffersOf));
  }
}

/** Below this a copy costs less than a change of hands, in bytes. */
const WORTH_TRANSFER = 32 * 1024;

/** The event times of a long reply change hands instead of being copied. */
function buffersOf({ outcome }: Ended): ArrayBuffer[] {
  const { tokenAtMs, tokensByEvent } = outcome;
  return [tokenAtMs.buffer, tokensByEvent?.buffer].filter(
    (buffer): buffer is ArrayBuffer =>
      buffer instanceof ArrayBuffer && buffer.byteLength > WORTH_TRANSFER,
  );
}
