import type { IncomingMessage, ServerResponse } from "node:http";
import type { EngineCore, FinishedStep } from "../core/engine-core.ts";
import { EngineLoop } from "../core/engine-loop.ts";
import type { EngineProfile } from "../profiles/engine-profile.ts";
import type { SequenceProgress } from "../schedule/sequence.ts";
import type { TokenLog } from "../truth/token-log.ts";
import { ApiError } from "./api-error.ts";
import type { CompletionRequest } from "./completion-request.ts";
import { EngineCounters } from "./engine-counters.ts";
import { EventWriter } from "./event-writer.ts";
import type { EngineFault } from "./fault.ts";
import { Generation } from "./generation.ts";
import { LiveReplies } from "./live-replies.ts";
import { PacedDelivery } from "./paced-delivery.ts";
import { type PlannedGeneration, planGenerations } from "./plan-generations.ts";
import { type FieldRules, readRequest } from "./read-request.ts";
import type { Reply, ReplyEnd } from "./reply.ts";
import { faultFor, misbehaveFirst } from "./request-faults.ts";
import { SendLag } from "./send-lag.ts";
import type { Phases } from "./send-queue.ts";
import { StreamedReply } from "./streamed-reply.ts";
import { WholeReply } from "./whole-reply.ts";

/** How the service answers, beside what the profile says. */
export interface ServiceOptions {
  readonly profile: EngineProfile;
  readonly seed: number;
  readonly phases: Phases;
  readonly fieldRules: FieldRules;
  readonly faults: readonly EngineFault[];
  /** Absent: send times are not kept, and events do not show them. */
  readonly tokenLog: TokenLog | undefined;
}

/** One HTTP exchange, and the number of its request. */
interface Exchange {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly number: number;
}

/** Takes requests for text, has the engine work on them, and hands out its tokens. */
export class CompletionService {
  readonly counters: EngineCounters = new EngineCounters();
  readonly sendLag: SendLag = new SendLag();
  readonly loop: EngineLoop;
  readonly #options: ServiceOptions;
  readonly #core: EngineCore;
  readonly #live: LiveReplies;
  readonly #delivery: PacedDelivery;
  #nextId = 0;
  /** Of the next request that has a body to be read. */
  #nextNumber = 0;

  constructor(core: EngineCore, originNs: bigint, options: ServiceOptions) {
    this.#core = core;
    this.#options = options;
    this.loop = new EngineLoop(core, originNs, (step) => this.#onStep(step));
    this.#delivery = new PacedDelivery(
      options.phases,
      () => this.loop.nowNs(),
      (progress, dueNs) => this.#deliver(progress, dueNs),
    );
    this.#live = new LiveReplies({
      core,
      delivery: this.#delivery,
      counters: this.counters,
      tokenLog: options.tokenLog,
    });
  }

  /** @throws {ApiError} for a request that is not taken. */
  async answer(
    message: IncomingMessage,
    body: string,
    response: ServerResponse,
    isChat: boolean,
  ): Promise<void> {
    const number = this.#nextNumber++;
    const { profile, fieldRules, faults, seed } = this.#options;
    const { model, request: read } = readRequest(body, isChat, fieldRules);
    if (model !== undefined && model !== profile.model) throw unknownModel(model, profile.model);
    const fault = faultFor({ number, inBody: read.fault, message }, faults, seed);
    await misbehaveFirst(fault, response);
    if (message.socket.destroyed) {
      this.counters.ends.abandoned++;
      return;
    }
    this.#start({ ...read, fault }, { message, response, number });
  }

  stop(): void {
    this.loop.stop();
    this.#delivery.stop();
    this.#live.stop();
  }

  #start(request: CompletionRequest, exchange: Exchange): void {
    const { profile, seed, tokenLog } = this.#options;
    const planned = planGenerations(request, profile, {
      seed,
      requestNumber: exchange.number,
      firstId: this.#nextId,
    });
    this.#nextId += planned.length;
    const atNs = this.loop.catchUp();
    const generations = planned.map(({ plan }) => new Generation(plan, atNs));
    const replyId = `${request.isChat ? "chatcmpl" : "cmpl"}-sim-${seed}-${exchange.number}`;
    const reply = this.#openReply(request, exchange, generations, replyId);
    for (const [i, { plan, sequence }] of planned.entries()) {
      this.#live.add(plan.id, { generation: generations[i]!, reply });
      const { id, choice, promptTokens } = plan;
      tokenLog?.open({ id, replyId, choice, promptTokens, arrivedNs: atNs });
      this.#core.submit(sequence, atNs);
    }
    this.counters.promptTokens += promptTokensOf(planned, request.n);
    this.loop.rearm();
  }

  #openReply(
    request: CompletionRequest,
    { message, response }: Exchange,
    generations: readonly Generation[],
    replyId: string,
  ): Reply {
    const ids = generations.map(({ plan }) => plan.id);
    const onEnd = (end: ReplyEnd): void => {
      message.socket.off("close", onGone);
      this.#live.end(ids, end);
    };
    // That of the connection: a reply that waits behind another one tells nothing of its end.
    const onGone = (): void => onEnd("abandoned");
    message.socket.once("close", onGone);
    const context = {
      request,
      names: {
        id: replyId,
        model: this.#options.profile.model,
        createdS: Math.floor(Date.now() / 1000),
        isChat: request.isChat,
      },
      generations,
      onSend: (generation: Generation, tokens: number, dueNs: number) =>
        this.#onSend(generation, tokens, dueNs),
      onEnd,
    };
    return request.isStreamed
      ? new StreamedReply(context, new EventWriter(response))
      : new WholeReply(context, response);
  }

  #onStep(step: FinishedStep): void {
    for (const id of step.plan.admitted) {
      const live = this.#live.get(id);
      if (live) live.generation.admittedNs = step.startNs;
    }
    const wanted = step.progress.filter(({ id }) => this.#live.get(id) !== undefined);
    this.#delivery.take(step, wanted);
  }

  #deliver(progress: SequenceProgress, dueNs: number): void {
    const live = this.#live.get(progress.id);
    if (!live) return;
    this.counters.generatedTokens += progress.tokens;
    live.reply.take(live.generation, progress, dueNs);
  }

  #onSend({ plan, cachedTokens }: Generation, tokens: number, dueNs: number): string | undefined {
    const { tokenLog } = this.#options;
    const atNs = process.hrtime.bigint();
    const sentNs = Number(atNs - this.loop.originNs);
    this.sendLag.record(sentNs - dueNs);
    this.counters.tokenEvents++;
    tokenLog?.sent(plan.id, tokens, dueNs, sentNs, cachedTokens);
    return tokenLog && String(atNs);
  }
}

/** A prompt counts once, however many replies it gets. */
function promptTokensOf(planned: readonly PlannedGeneration[], repliesPerPrompt: number): number {
  return planned
    .filter(({ plan }) => plan.choice % repliesPerPrompt === 0)
    .reduce((sum, { plan }) => sum + plan.promptTokens, 0);
}

function unknownModel(asked: string, served: string): ApiError {
  const message = `The model ${JSON.stringify(asked.slice(0, 200))} does not exist; this engine serves ${JSON.stringify(served)}.`;
  return new ApiError(404, message, { param: "model", code: "model_not_found" });
}
