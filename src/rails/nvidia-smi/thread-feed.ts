import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from "node:worker_threads";
import { nowMs } from "../../clock.ts";
import type { SamplerCost } from "../../energy/sampler-cost.ts";
import type { RailEvent, RailFeed } from "../source.ts";
import { signalGroup } from "./end-child.ts";
import { endWithProgram } from "./own-group.ts";
import type { ReaderOptions } from "./reader.ts";

/** Longer than the reader needs to end its child, even one that obeys nothing, in ms. */
const STOP_MS = 3000;

/**
 * The reader in a thread of its own.
 *
 * Whatever ends the program, or the thread, ends the child too.
 */
export class ThreadFeed implements RailFeed {
  readonly #port: MessagePort;
  readonly #worker: Worker;
  readonly #emit: (event: RailEvent) => void;
  readonly #startedMs = nowMs();
  readonly #forgetExit: () => void;
  readonly #exited: Promise<void>;
  #pid: number | undefined;
  #samples = 0;
  #rejectedLines = 0;
  #cost: SamplerCost | undefined;

  private constructor(options: ReaderOptions, emit: (event: RailEvent) => void) {
    const { port1, port2 } = new MessageChannel();
    this.#emit = emit;
    this.#port = port1;
    this.#worker = new Worker(new URL("./reader-thread.js", import.meta.url), {
      workerData: { options, port: port2 },
      transferList: [port2],
      // Flags of the program, such as --input-type, can forbid what this thread's entry is.
      execArgv: [],
    });
    this.#exited = new Promise((resolve) => this.#worker.once("exit", () => resolve()));
    this.#forgetExit = endWithProgram(() => this.#pid);
  }

  static start(options: ReaderOptions, emit: (event: RailEvent) => void): ThreadFeed {
    const feed = new ThreadFeed(options, emit);
    feed.#port.on("message", (event: RailEvent) => feed.#take(event));
    feed.#worker.on("error", (error) => feed.#lost(`the reader's thread failed: ${error.message}`));
    feed.#worker.on("exit", () => feed.#lost("the reader's thread ended"));
    return feed;
  }

  drain(): void {
    for (
      let waiting = receiveMessageOnPort(this.#port);
      waiting;
      waiting = receiveMessageOnPort(this.#port)
    )
      this.#take(waiting.message as RailEvent);
  }

  async stop(): Promise<SamplerCost> {
    this.#port.postMessage("stop");
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise((resolve) => {
      timer = setTimeout(resolve, STOP_MS);
    });
    await Promise.race([this.#exited, tooLong]);
    clearTimeout(timer);
    this.drain();
    signalGroup(this.#pid, "SIGKILL");
    await this.#worker.terminate();
    this.#forgetExit();
    this.#port.close();
    return this.#cost ?? this.#knownCost();
  }

  #take(event: RailEvent): void {
    if (event.kind === "started") this.#pid = event.pid;
    else if (event.kind === "ended") this.#pid = undefined;
    else if (event.kind === "stopped") {
      this.#cost = event.cost;
      this.#pid = undefined;
    } else if (event.kind === "read") {
      this.#samples += event.samples.length;
      this.#rejectedLines += event.rejected.length;
    }
    this.#emit(event);
  }

  #lost(why: string): void {
    this.drain();
    if (this.#cost) return;
    signalGroup(this.#pid, "SIGKILL");
    this.#emit({ kind: "ended", atMs: nowMs(), why });
  }

  /** What is known of the cost when the reader could not tell it any more. */
  #knownCost(): SamplerCost {
    return {
      wallS: (nowMs() - this.#startedMs) / 1000,
      samples: this.#samples,
      rejectedLines: this.#rejectedLines,
    };
  }
}
