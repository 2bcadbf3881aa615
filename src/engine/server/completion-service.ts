import type { IncomingMessage, ServerResponse } from "node:http";
import type { EngineCore, FinishedStep } from "../core/engine-core.ts";
import { EngineLoop } from "../core/engine-loop.ts";
import type { EngineProfile } from "../profiles/engine-profile.ts";
import { mixKeys, uniformAt } from "../schedule/keys.ts";
import type { SequenceProgress } from "../schedule/sequence.ts";
import type { TokenLog } from "../truth/token-log.ts";
import { ApiError } from "./api-error.ts";
import type { CompletionRequest } from "./completion-request.ts";
import { EngineCounters } from "./engine-counters.ts";
import { EventWriter } from "./event-writer.ts";
import type { EngineFault, RequestFault } from "./fault.ts";
import { Generation } from "./generation.ts";
import { type PlannedGeneration, planGenerations } from "./plan-generations.ts";
import { type FieldRules, faultOf, readRequest } from "./read-request.ts";
import type { Reply, ReplyContext, ReplyEnd } from "./reply.ts";
import { SendLag } from "./send-lag.ts";
import { type Phases, SendQueue } from "./send-queue.ts";
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

interface Live {
  readonly generation: Generation;
  readonly reply: Reply;
}

/** Takes requests for text, has the engine work on them, and hands out its tokens. */
export class CompletionService {
  readonly counters: EngineCounters = new EngineCounters();
  readonly sendLag: SendLag = new SendLag();
  readonly loop: EngineLoop;
  readonly #options: ServiceOptions;
  readonly #core: EngineCore;
  readonly #live = new Map<number, Live>();
  readonly #queue: SendQueue | undefined;
  #queueTimer: NodeJS.Timeout | undefined;
  #nextId = 0;

  constructor(core: EngineCore, originNs: bigint, options: ServiceOptions) {
    this.#core = core;
    this.#options = options;
    this.#queue = options.phases === "spread" ? new SendQueue() : undefined;
    this.loop = new EngineLoop(core, originNs, (step) => this.#onStep(step));
  }

  /** Requests that are not answered wholly yet. */
  get open(): number {
    return this.#live.size;
  }

  /** @throws {ApiError} for a request that is not taken. */
  async answer(
    message: IncomingMessage,
    body: string,
    response: ServerResponse,
    isChat: boolean,
  ): Promise<void> {
    const requestNumber = this.counters.requests++;
    const { profile, fieldRules } = this.#options;
    const { model, request: read } = readRequest(body, isChat, fieldRules);
    if (model !== undefined && model !== profile.model) throw unknownModel(model, profile.model);
    const fault = read.fault ?? faultInHeader(message) ?? this.#ownFault(requestNumber);
    if (fault?.kind === "status") throw statusError(fault);
    if (fault?.kind === "slow") await waitUnlessGone(fault.delayMs, response);
    if (response.destroyed) return;
    this.#start({ ...read, fault }, requestNumber, response);
  }

  stop(): void {
    this.loop.stop();
    clearTimeout(this.#queueTimer);
    for (const { reply } of this.#live.values()) reply.stop();
    this.#live.clear();
  }

  #start(request: CompletionRequest, requestNumber: number, response: ServerResponse): void {
    const { profile, seed, tokenLog } = this.#options;
    const planned = planGenerations(request, profile, {
      seed,
      requestNumber,
      firstId: this.#nextId,
    });
    this.#nextId += planned.length;
    const atNs = this.loop.catchUp();
    const generations = planned.map(({ plan }) => new Generation(plan, atNs));
    const prefix = request.isChat ? "chatcmpl" : "cmpl";
    const replyId = `${prefix}-sim-${seed}-${requestNumber}`;
    const ids = planned.map(({ plan }) => plan.id);
    const context: ReplyContext = {
      request,
      names: {
        id: replyId,
        model: profile.model,
        createdS: Math.floor(Date.now() / 1000),
        isChat: request.isChat,
      },
      generations,
      onSend: (generation, tokens, dueNs) => this.#onSend(generation, tokens, dueNs),
      onEnd: (end) => this.#end(ids, end),
    };
    const reply = request.isStreamed
      ? new StreamedReply(context, new EventWriter(response))
      : new WholeReply(context, response);
    response.once("close", () => this.#end(ids, "abandoned"));
    for (const [i, { plan, sequence }] of planned.entries()) {
      this.#live.set(plan.id, { generation: generations[i]!, reply });
      const { id, choice, promptTokens } = plan;
      tokenLog?.open({ id, replyId, choice, promptTokens, arrivedNs: atNs });
      this.#core.submit(sequence, atNs);
    }
    this.counters.promptTokens += promptTokensOf(planned, request.n);
    this.loop.rearm();
  }

  #onStep({ startNs, endNs, progress }: FinishedStep): void {
    if (this.#queue) {
      this.#queue.push(progress, endNs, endNs - startNs);
      this.#drainQueue();
    } else {
      for (const one of progress) this.#deliver(one, endNs);
    }
  }

  #drainQueue(): void {
    clearTimeout(this.#queueTimer);
    for (const { progress, dueNs } of this.#queue!.take(this.loop.nowNs())) {
      this.#deliver(progress, dueNs);
    }
    if (this.#queue!.nextNs !== undefined) {
      this.#queueTimer = setTimeout(() => this.#drainQueue(), 1);
    }
  }

  #deliver(progress: SequenceProgress, dueNs: number): void {
    const live = this.#live.get(progress.id);
    live?.reply.take(live.generation, progress, dueNs);
  }

  #onSend({ plan, cachedTokens }: Generation, tokens: number, dueNs: number): string | undefined {
    const { tokenLog } = this.#options;
    const atNs = process.hrtime.bigint();
    const sentNs = Number(atNs - this.loop.originNs);
    this.sendLag.record(sentNs - dueNs);
    this.counters.generatedTokens += tokens;
    this.counters.tokenEvents++;
    tokenLog?.sent(plan.id, tokens, dueNs, sentNs, cachedTokens);
    return tokenLog && String(atNs);
  }

  #end(ids: readonly number[], end: ReplyEnd): void {
    const open = ids.filter((id) => this.#live.has(id));
    if (open.length === 0) return;
    this.counters.ends[end]++;
    for (const id of open) {
      const { generation, reply } = this.#live.get(id)!;
      this.#live.delete(id);
      reply.stop();
      this.#core.remove(id);
      this.#queue?.forget(id);
      this.#options.tokenLog?.end(id, end);
      if (end === "finished") this.counters.finishReasons[generation.plan.finishReason]++;
    }
  }

  #ownFault(requestNumber: number): RequestFault | undefined {
    const { faults, seed } = this.#options;
    return faults.find((fault, i) => {
      const { share = 1, fromRequest = 0, untilRequest = Number.POSITIVE_INFINITY } = fault;
      if (requestNumber < fromRequest || requestNumber >= untilRequest) return false;
      return share >= 1 || uniformAt(mixKeys(seed, i), requestNumber) < share;
    });
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

function statusError({ status, message, retryAfterS }: Extract<RequestFault, { kind: "status" }>) {
  return new ApiError(status, message ?? `The engine was told to answer ${status}.`, {
    ...(retryAfterS !== undefined && { headers: { "retry-after": String(retryAfterS) } }),
  });
}

/** A request can ask for a fault in a header too, where its body is not to be touched. */
function faultInHeader({ headers }: IncomingMessage): RequestFault | undefined {
  const text = headers["x-engine-fault"];
  if (typeof text !== "string") return undefined;
  try {
    return faultOf(JSON.parse(text));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError(400, "The header x-engine-fault is not JSON.", { param: "x-engine-fault" });
  }
}

async function waitUnlessGone(delayMs: number, response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, delayMs);
    response.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
