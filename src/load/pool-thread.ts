import { Worker } from "node:worker_threads";
import type { ThreadUsage } from "./generator-health.ts";
import type { Ended, FromThread, ThreadSetup, ToThread } from "./messages.ts";

/** How long a thread may take to close by itself, in ms. */
const CLOSE_MS = 1000;

/** One load thread, as the pool sees it. */
export class PoolThread {
  readonly #worker: Worker;
  #onEnded: (requests: readonly Ended[]) => void = () => undefined;
  #waiting: {
    kind: FromThread["kind"];
    resolve: (message: FromThread) => void;
    reject: (error: Error) => void;
  }[] = [];
  #failure: Error | undefined;

  private constructor(setup: ThreadSetup) {
    this.#worker = new Worker(new URL("./load-thread.js", import.meta.url), {
      workerData: setup,
      execArgv: [],
    });
    this.#worker.on("message", (message: FromThread) => this.#take(message));
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.on("exit", () => this.#fail(new Error("a load thread ended")));
  }

  /** Starts a thread; resolves when it is ready to send. */
  static async start(setup: ThreadSetup): Promise<PoolThread> {
    const thread = new PoolThread(setup);
    await thread.#next("ready");
    return thread;
  }

  /** Runs a share. @returns when its last request has ended and been told. */
  async run(
    order: Extract<ToThread, { kind: "run" }>,
    onEnded: (requests: readonly Ended[]) => void,
  ): Promise<void> {
    this.#onEnded = onEnded;
    const done = this.#next("done");
    this.#post(order);
    await done;
  }

  cancel(): void {
    this.#post({ kind: "cancel" });
  }

  /** What it has used up to now; `undefined` when it is gone. */
  async usage(): Promise<ThreadUsage | undefined> {
    try {
      const answer = this.#next("usage");
      this.#post({ kind: "usage" });
      return ((await answer) as Extract<FromThread, { kind: "usage" }>).usage;
    } catch {
      return undefined;
    }
  }

  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const exited = new Promise((resolve) => this.#worker.once("exit", resolve));
    const tooLong = new Promise((resolve) => {
      timer = setTimeout(resolve, CLOSE_MS);
    });
    this.#post({ kind: "close" });
    if (this.#failure === undefined) await Promise.race([exited, tooLong]);
    clearTimeout(timer);
    await this.#worker.terminate();
  }

  #post(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #take(message: FromThread): void {
    if (message.kind === "ended") {
      this.#onEnded(message.requests);
      return;
    }
    // A run that failed was waited for to be done.
    const answered = message.kind === "failed" ? "done" : message.kind;
    const place = this.#waiting.findIndex(({ kind }) => kind === answered);
    const [waiter] = this.#waiting.splice(place, place < 0 ? 0 : 1);
    if (message.kind === "failed") waiter?.reject(new Error(message.message));
    else waiter?.resolve(message);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
  }

  #next(kind: FromThread["kind"]): Promise<FromThread> {
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => this.#waiting.push({ kind, resolve, reject }));
  }
}
