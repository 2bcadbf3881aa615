import type { EngineCore } from "../core/engine-core.ts";
import type { TokenLog } from "../truth/token-log.ts";
import type { EngineCounters } from "./engine-counters.ts";
import type { Generation } from "./generation.ts";
import type { PacedDelivery } from "./paced-delivery.ts";
import type { Reply, ReplyEnd } from "./reply.ts";

/** A reply under way, and the one of its generations that is asked for. */
export interface LiveReply {
  readonly generation: Generation;
  readonly reply: Reply;
}

/** All that has to hear of a reply's end. */
export interface ReplyEndHearers {
  readonly core: EngineCore;
  readonly delivery: PacedDelivery;
  readonly counters: EngineCounters;
  readonly tokenLog: TokenLog | undefined;
}

/** The replies that are not over yet, by the sequences that the engine works on for them. */
export class LiveReplies {
  readonly #byId = new Map<number, LiveReply>();
  readonly #hearers: ReplyEndHearers;

  constructor(hearers: ReplyEndHearers) {
    this.#hearers = hearers;
  }

  add(id: number, live: LiveReply): void {
    this.#byId.set(id, live);
  }

  get(id: number): LiveReply | undefined {
    return this.#byId.get(id);
  }

  /** Ends what is left of one reply; the first end of a reply counts. */
  end(ids: readonly number[], end: ReplyEnd): void {
    const open = ids.filter((id) => this.#byId.has(id));
    if (open.length === 0) return;
    const { core, delivery, counters, tokenLog } = this.#hearers;
    counters.ends[end]++;
    for (const id of open) {
      const { generation, reply } = this.#byId.get(id)!;
      this.#byId.delete(id);
      reply.stop();
      core.remove(id);
      delivery.forget(id);
      tokenLog?.end(id, end);
      if (end === "finished") counters.finishReasons[generation.plan.finishReason]++;
    }
  }

  stop(): void {
    for (const { reply } of this.#byId.values()) reply.stop();
    this.#byId.clear();
  }
}
