import type { ServerResponse } from "node:http";
import type { SequenceProgress } from "../schedule/sequence.ts";
import { ApiError } from "./api-error.ts";
import type { FinishReason, Generation } from "./generation.ts";
import type { Reply, ReplyContext } from "./reply.ts";
import { asciiJson, envelope } from "./reply-ids.ts";
import { LONGEST_TIMER_MS } from "./request-faults.ts";
import { sendError, sendJson } from "./send-json.ts";
import { timingsOf, usageOf } from "./usage.ts";

/** A reply that is sent when all of it is there. */
export class WholeReply implements Reply {
  readonly #context: ReplyContext;
  readonly #response: ServerResponse;
  readonly #choices = new Map<number, { text: string; finishReason?: FinishReason }>();
  #openChoices: number;
  #releaseTimer: NodeJS.Timeout | undefined;

  constructor(context: ReplyContext, response: ServerResponse) {
    this.#context = context;
    this.#response = response;
    this.#openChoices = context.generations.length;
  }

  take(generation: Generation, progress: SequenceProgress, dueNs: number): void {
    const choice = this.#choices.get(generation.plan.choice) ?? { text: "" };
    this.#choices.set(generation.plan.choice, choice);
    const { text, finishReason } = generation.push(progress, dueNs);
    choice.text += text;
    if (!finishReason) return;
    choice.finishReason = finishReason;
    if (--this.#openChoices === 0) this.#finish(generation, dueNs);
  }

  stop(): void {
    clearTimeout(this.#releaseTimer);
  }

  /** Faults in a stream come in its place: there is only one piece to send. */
  #finish(generation: Generation, dueNs: number): void {
    const { request, generations, onSend, onEnd } = this.#context;
    const { fault } = request;
    const send = (): void => {
      for (const one of generations) onSend(one, one.tokens, dueNs);
      sendJson(this.#response, 200, asciiJson(this.#whole(generation)));
      onEnd("finished");
    };
    if (fault?.kind === "reset" || fault?.kind === "close") {
      const { socket } = this.#response.req;
      if (fault.kind === "reset") socket.resetAndDestroy();
      else socket.destroy();
      onEnd("cut");
    } else if (fault?.kind === "error") {
      sendError(this.#response, new ApiError(500, fault.message ?? "The engine was told to fail."));
      onEnd("failed");
    } else if (fault?.kind === "garbage") {
      sendJson(this.#response, 200, fault.text ?? '{"choices":[{"message":');
      onEnd("finished");
    } else if (fault?.kind === "stall") {
      if (fault.forMs !== undefined)
        this.#releaseTimer = setTimeout(send, Math.min(fault.forMs, LONGEST_TIMER_MS));
    } else {
      send();
    }
  }

  #whole(last: Generation): object {
    const { request, names, generations } = this.#context;
    const { fault } = request;
    const factor = fault?.kind === "usage" ? fault.factor : 1;
    return {
      ...envelope(names, false),
      choices: generations.map(({ plan: { choice } }) => this.#choice(choice)),
      ...(fault?.kind !== "no-usage" && { usage: usageOf(generations, request.n, factor) }),
      ...(request.timings !== "none" && { timings: timingsOf(last) }),
    };
  }

  #choice(index: number): object {
    const { text = "", finishReason = null } = this.#choices.get(index) ?? {};
    const content = this.#context.request.isChat
      ? { message: { role: "assistant", content: text, refusal: null } }
      : { text };
    const isOpen = this.#context.request.fault?.kind === "no-end";
    return { index, ...content, logprobs: null, finish_reason: isOpen ? null : finishReason };
  }
}
