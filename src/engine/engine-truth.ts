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

/** Nobody's clock goes further. */
const MOST_NS = 2n ** 63n;

/** Asks an engine what really happened. All times are in ms, as `nowMs` counts them. */
export class EngineTruth {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /**
   * @throws {JoulemarkError} `bad_option`, for an interval that is not wholly past, or forgotten;
   *   `stopped`, when the engine has ended.
   */
  async energy(startMs: number, endMs: number): Promise<EngineEnergy> {
    const answer = (await this.#askInterval("energy", startMs, endMs)) as EngineEnergy;
    return { servingJ: answer.servingJ, devices: answer.devices };
  }

  /** Token events and tokens sent from `startMs` up to `endMs`. @throws as `energy` does. */
  async tokens(startMs: number, endMs: number): Promise<{ events: number; tokens: number }> {
    const answer = (await this.#askInterval("tokens", startMs, endMs)) as {
      events: number;
      tokens: number;
    };
    return { events: answer.events, tokens: answer.tokens };
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

  async #askInterval(what: string, startMs: number, endMs: number): Promise<unknown> {
    const query = { start_ns: toNs("startMs", startMs), end_ns: toNs("endMs", endMs) };
    return this.#ask(what, query, (known) => {
      const [fromMs, untilMs] = [toMs(known.start_ns), toMs(known.end_ns)];
      return `the interval from ${startMs} to ${endMs} ms is not wholly known: what is known is from ${fromMs} to ${untilMs} ms (now), in ms as nowMs() counts`;
    });
  }

  /** @param unknownText - of an interval that is not known, on the asker's clock. */
  async #ask(
    what: string,
    query: Readonly<Record<string, string>>,
    unknownText?: (known: KnownInterval) => string,
  ): Promise<unknown> {
    const url = `${this.#url}/truth/${what}?${new URLSearchParams(query)}`;
    const response = await fetch(url).catch((cause: unknown) => {
      const problem = `the engine at ${this.#url} has ended; ask for its truth before close()`;
      throw new JoulemarkError("stopped", problem, { cause });
    });
    const answer = (await response.json()) as { readonly error?: TruthError };
    if (response.ok) return answer;
    const { message, known } = answer.error ?? {};
    const text = known && unknownText?.(known);
    throw new JoulemarkError("bad_option", text ?? message ?? `HTTP ${response.status}`);
  }
}

/** The interval that could be asked for, on the machine's monotonic clock. */
interface KnownInterval {
  readonly start_ns: string;
  readonly end_ns: string;
}

interface TruthError {
  readonly message: string;
  readonly known?: KnownInterval;
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

/** @throws {JoulemarkError} `bad_option` for what is no time of the clock. */
function toNs(name: string, ms: unknown): string {
  if (typeof ms === "number" && Number.isFinite(ms)) {
    const ns = clockOriginNs + BigInt(Math.round(ms * 1e6));
    if (ns >= 0n && ns < MOST_NS) return String(ns);
  }
  const shown = typeof ms === "string" ? JSON.stringify(ms.slice(0, 80)) : String(ms);
  const problem = `${name}: ${shown} is no time in ms, as nowMs() counts them`;
  throw new JoulemarkError("bad_option", problem);
}
