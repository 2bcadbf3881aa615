import { clockOriginNs } from "../clock.ts";
import { JoulemarkError } from "../errors.ts";
import type { RailDevice } from "./rail/rail-options.ts";

/** Exact joules of one interval. */
export interface EngineEnergy {
  /** What the engine's own work and idling took on its GPUs. */
  readonly servingJ: number;
  /** All that went into each GPU of the box, other programs' work too. */
  readonly devices: readonly (RailDevice & { readonly energyJ: number })[];
}

/** One reply of the engine, and when each of its token events was sent; in ms as `nowMs` counts. */
export interface EngineReply {
  /** The `id` that its client saw. */
  readonly replyId: string;
  readonly choice: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly arrivedMs: number;
  /** Just before the event was written. */
  readonly sentMs: readonly number[];
  /** When the engine's schedule had it. */
  readonly dueMs: readonly number[];
  /** Tokens of each event. */
  readonly tokens: readonly number[];
  /** `finished`, `failed`, `cut` or `abandoned`; absent while it goes on. */
  readonly end?: string;
}

/** Asks an engine what really happened. All times are in ms, as `nowMs` counts them. */
export class EngineTruth {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** @throws {JoulemarkError} `bad_option`, for an interval that is not wholly past, or forgotten. */
  async energy(startMs: number, endMs: number): Promise<EngineEnergy> {
    return (await this.#ask("energy", interval(startMs, endMs))) as EngineEnergy;
  }

  /** Token events and tokens sent from `startMs` up to `endMs`. @throws as `energy` does. */
  async tokens(startMs: number, endMs: number): Promise<{ events: number; tokens: number }> {
    return (await this.#ask("tokens", interval(startMs, endMs))) as {
      events: number;
      tokens: number;
    };
  }

  /** All replies that are still known, in the order in which their requests came. */
  async replies(): Promise<EngineReply[]> {
    const all: EngineReply[] = [];
    for (let from = 0; ; ) {
      const { replies } = (await this.#ask("replies", { from: String(from) })) as RepliesAnswer;
      if (replies.length === 0) return all;
      all.push(...replies.map(replyInMs));
      from = replies.at(-1)!.id + 1;
    }
  }

  async #ask(what: string, query: Readonly<Record<string, string>>): Promise<unknown> {
    const response = await fetch(`${this.#url}/truth/${what}?${new URLSearchParams(query)}`);
    const answer = (await response.json()) as { readonly error?: { readonly message: string } };
    if (response.ok) return answer;
    throw new JoulemarkError("bad_option", answer.error?.message ?? `HTTP ${response.status}`);
  }
}

interface RepliesAnswer {
  readonly replies: readonly (Omit<EngineReply, "arrivedMs" | "sentMs" | "dueMs"> & {
    readonly id: number;
    readonly arrivedNs: string;
    readonly sentNs: readonly string[];
    readonly dueNs: readonly string[];
  })[];
}

function replyInMs(reply: RepliesAnswer["replies"][number]): EngineReply {
  const { id: _, arrivedNs, sentNs, dueNs, ...rest } = reply;
  return {
    ...rest,
    arrivedMs: toMs(arrivedNs),
    sentMs: sentNs.map(toMs),
    dueMs: dueNs.map(toMs),
  };
}

function toMs(ns: string): number {
  return Number(BigInt(ns) - clockOriginNs) / 1e6;
}

function interval(startMs: number, endMs: number) {
  return { start_ns: toNs(startMs), end_ns: toNs(endMs) };
}

function toNs(ms: number): string {
  return String(clockOriginNs + BigInt(Math.round(ms * 1e6)));
}
