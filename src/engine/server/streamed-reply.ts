import type { SequenceProgress } from "../schedule/sequence.ts";
import { EventText } from "./event-text.ts";
import type { EventWriter } from "./event-writer.ts";
import type { RequestFault } from "./fault.ts";
import type { FinishReason, Generation } from "./generation.ts";
import type { Reply, ReplyContext } from "./reply.ts";
import { LONGEST_TIMER_MS } from "./request-faults.ts";
import { errorEvent, garbageEvent, isInStream } from "./stream-faults.ts";
import { timingsOf, usageOf } from "./usage.ts";

/** A reply whose tokens are sent as they come. */
export class StreamedReply implements Reply {
  readonly #context: ReplyContext;
  readonly #writer: EventWriter;
  readonly #events: EventText;
  readonly #fault: RequestFault | undefined;
  #sentEvents = 0;
  #openChoices: number;
  #hasMisbehaved = false;
  /** What is to be done when a reply goes on that stalls; absent while it does not. */
  #held: (() => void)[] | undefined;
  #releaseTimer: NodeJS.Timeout | undefined;

  constructor(context: ReplyContext, writer: EventWriter) {
    this.#context = context;
    this.#writer = writer;
    this.#events = new EventText(context.names);
    this.#fault = context.request.fault;
    this.#openChoices = context.generations.length;
    writer.open();
  }

  take(generation: Generation, progress: SequenceProgress, dueNs: number): void {
    if (this.#isFaultDue() && this.#misbehave()) return;
    if (this.#held) {
      this.#held.push(() => this.take(generation, progress, dueNs));
      return;
    }
    const { choice } = generation.plan;
    const isFirst = generation.tokens === 0;
    const { text, finishReason } = generation.push(progress, dueNs);
    const opening =
      isFirst && this.#context.request.isChat ? this.#events.opening(choice) : undefined;
    if (text === "") {
      if (opening !== undefined) this.#writer.sendOne(opening);
    } else {
      const sentNs = this.#context.onSend(generation, progress.tokens, dueNs);
      const token = this.#events.token(choice, text, this.#members(generation, sentNs));
      if (opening === undefined) this.#writer.sendOne(token);
      else this.#writer.send(opening, token);
      this.#sentEvents++;
    }
    if (finishReason) this.#close(generation, finishReason);
  }

  stop(): void {
    clearTimeout(this.#releaseTimer);
  }

  #close(generation: Generation, finishReason: FinishReason): void {
    const closing = this.#events.closing(generation.plan.choice, finishReason);
    if (--this.#openChoices > 0) {
      this.#writer.send(closing);
      return;
    }
    // A fault that was to come after more events than there were comes at their end.
    if (!this.#hasMisbehaved && isInStream(this.#fault) && this.#misbehave()) return;
    if (this.#held) this.#held.push(() => this.#finish(generation, closing));
    else this.#finish(generation, closing);
  }

  #finish(generation: Generation, closing: string): void {
    const kind = this.#fault?.kind;
    const parts = kind === "no-end" ? [] : [closing];
    const summary = this.#summary(generation);
    if (summary) parts.push(this.#events.summary(summary));
    if (kind !== "no-done" && kind !== "no-end") parts.push("[DONE]");
    if (parts.length > 0) this.#writer.send(...parts);
    this.#writer.end();
    this.#context.onEnd("finished");
  }

  #summary(generation: Generation): object | undefined {
    const { request } = this.#context;
    const hasUsage = request.usage !== "none" && this.#fault?.kind !== "no-usage";
    if (!hasUsage && request.timings === "none") return undefined;
    return {
      ...(hasUsage && { usage: this.#usage() }),
      ...(request.timings !== "none" && { timings: timingsOf(generation) }),
    };
  }

  #members(generation: Generation, sentNs: string | undefined): string {
    const { request } = this.#context;
    let more = "";
    if (request.usage === "in each event") more += `,"usage":${JSON.stringify(this.#usage())}`;
    if (request.timings === "in each event") {
      more += `,"timings":${JSON.stringify(timingsOf(generation))}`;
    }
    return sentNs === undefined ? more : `${more},"sent_ns":"${sentNs}"`;
  }

  #usage() {
    const { request, generations } = this.#context;
    const factor = this.#fault?.kind === "usage" ? this.#fault.factor : 1;
    return usageOf(generations, request.n, factor);
  }

  #isFaultDue(): boolean {
    const fault = this.#fault;
    if (this.#hasMisbehaved || !isInStream(fault)) return false;
    return this.#sentEvents === (fault.afterEvents ?? 0);
  }

  /** @returns whether the reply has ended by it. */
  #misbehave(): boolean {
    const fault = this.#fault;
    this.#hasMisbehaved = true;
    switch (fault?.kind) {
      case "reset":
      case "close":
        this.#writer.cut(fault.kind);
        this.#context.onEnd("cut");
        return true;
      case "error":
        this.#writer.send(errorEvent(fault.message), "[DONE]");
        this.#writer.end();
        this.#context.onEnd("failed");
        return true;
      case "garbage":
        this.#writer.send(garbageEvent(fault.text));
        return false;
      case "stall":
        this.#hold(fault.forMs);
        return false;
      default:
        return false;
    }
  }

  #hold(forMs: number | undefined): void {
    this.#held = [];
    if (forMs === undefined) return;
    this.#releaseTimer = setTimeout(
      () => {
        const held = this.#held ?? [];
        this.#held = undefined;
        for (const goOn of held) goOn();
      },
      Math.min(forMs, LONGEST_TIMER_MS),
    );
  }
}
