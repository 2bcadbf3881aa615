import type { EngineProfile } from "../profiles/engine-profile.ts";
import { acceptedDrafts, proposedDrafts } from "./drafts.ts";
import { isDecoding, type LiveSequence, liveSequence, takeChunk } from "./live-sequence.ts";
import { PromptCache } from "./prompt-cache.ts";
import { RunningBatch } from "./running-batch.ts";
import type { NewSequence, ScheduleCounts, SequenceProgress, StepPlan } from "./sequence.ts";
import { stepPlan } from "./step-plan.ts";
import { WaitingLine } from "./waiting-line.ts";

/**
 * Continuous batching as vLLM V1 does it, in steps that know no clock: `begin` says what the next
 * step does and how long it takes, `finish` what came of it.
 *
 * First come, first served. In each step all sequences that are prefilled decode; what `stepTokens`
 * leaves goes to prompts, in order of arrival and in chunks. Decoding never waits: with drafts,
 * which count in the step, it may take more than `stepTokens` alone, and then no prompt gets on.
 *
 * Simplified: room for prompt and whole reply is reserved at admission, so none is ever preempted;
 * what is decoded enters no prefix cache.
 */
export class Scheduler {
  readonly #profile: EngineProfile;
  readonly #cache: PromptCache;
  readonly #liveById = new Map<number, LiveSequence>();
  readonly #waiting = new WaitingLine();
  readonly #running = new RunningBatch();
  #hasBegun = false;
  #draftTokens = 0;
  #acceptedDraftTokens = 0;

  constructor(profile: EngineProfile) {
    this.#profile = profile;
    this.#cache = new PromptCache(profile);
  }

  /** @throws {RangeError} for one that could never run: its server has to refuse it. */
  add(asked: NewSequence): void {
    const sequence = liveSequence(asked);
    const { kvTokens } = this.#profile;
    if (sequence.reservedTokens > kvTokens)
      throw new RangeError(
        `sequence ${asked.id} needs room for ${sequence.reservedTokens} tokens of ${kvTokens}`,
      );
    if (this.#liveById.has(asked.id)) throw new RangeError(`sequence ${asked.id} is here already`);
    this.#liveById.set(asked.id, sequence);
    this.#waiting.push(sequence);
  }

  /**
   * The client is gone: its room is free at once, and what the step that has begun does for it
   * comes to nothing.
   *
   * @returns whether it was waiting or running.
   */
  remove(id: number): boolean {
    const sequence = this.#liveById.get(id);
    if (sequence) this.#letGo(sequence);
    return sequence !== undefined;
  }

  /** Admits what may run and plans a step; `undefined`: there is nothing to do. */
  begin(): StepPlan | undefined {
    if (this.#hasBegun) throw new Error("the step before has not been finished");
    const { decoding, contextTokens } = this.#running.planDecoding();
    const roomTokens = this.#profile.stepTokens - decoding * (1 + this.#profile.draftTokens);
    const continuedTokens = this.#running.planPrefill(roomTokens);
    const admitted: number[] = [];
    const prefillTokens = continuedTokens + this.#admit(roomTokens - continuedTokens, admitted);
    if (decoding + prefillTokens === 0) return undefined;
    this.#hasBegun = true;
    return stepPlan(this.#profile, { decoding, prefillTokens, contextTokens, admitted });
  }

  /** Ends the step that has begun: the new tokens, in order of arrival. */
  finish(): readonly SequenceProgress[] {
    if (!this.#hasBegun) throw new Error("no step has begun");
    this.#hasBegun = false;
    const progress: SequenceProgress[] = [];
    this.#running.forEach((sequence) => {
      if (isDecoding(sequence)) progress.push(this.#decode(sequence));
      else if (this.#prefill(sequence)) progress.push(this.#produce(sequence, 0, 0));
    });
    return progress;
  }

  /** `kvTokens` is what is reserved. */
  counts(): ScheduleCounts {
    return {
      waiting: this.#liveById.size - this.#running.size,
      running: this.#running.size,
      kvTokens: this.#running.reservedTokens,
      cacheQueryTokens: this.#cache.queryTokens,
      cacheHitTokens: this.#cache.hitTokens,
      draftTokens: this.#draftTokens,
      acceptedDraftTokens: this.#acceptedDraftTokens,
    };
  }

  /** Lets in the next ones in the line, until one of them finds no room: none passes another. */
  #admit(roomTokens: number, admitted: number[]): number {
    const { maxRunning, kvTokens } = this.#profile;
    let takenTokens = 0;
    while (takenTokens < roomTokens && this.#running.size < maxRunning) {
      const sequence = this.#waiting.first();
      if (!sequence || this.#running.reservedTokens + sequence.reservedTokens > kvTokens) break;
      this.#waiting.takeFirst();
      this.#running.admit(sequence);
      admitted.push(sequence.asked.id);
      this.#cache.lookUp(sequence);
      takenTokens += takeChunk(sequence, roomTokens - takenTokens);
    }
    return takenTokens;
  }

  /** @returns whether its prompt is done by that. */
  #prefill(sequence: LiveSequence): boolean {
    const { readyTokens } = sequence;
    sequence.readyTokens += sequence.chunkTokens;
    this.#cache.keep(sequence, readyTokens);
    return isDecoding(sequence);
  }

  #decode(sequence: LiveSequence): SequenceProgress {
    const { asked, producedTokens } = sequence;
    const proposed = proposedDrafts(this.#profile, asked.replyTokens - producedTokens);
    const accepted = acceptedDrafts(this.#profile, asked.key, producedTokens, proposed);
    this.#draftTokens += proposed;
    this.#acceptedDraftTokens += accepted;
    return this.#produce(sequence, proposed, accepted);
  }

  #produce(sequence: LiveSequence, draftTokens: number, accepted: number): SequenceProgress {
    const { asked, producedTokens, cachedTokens } = sequence;
    sequence.producedTokens += 1 + accepted;
    const isLast = sequence.producedTokens === asked.replyTokens;
    if (isLast) this.#letGo(sequence);
    return {
      id: asked.id,
      tokens: 1 + accepted,
      firstToken: producedTokens,
      draftTokens,
      acceptedDraftTokens: accepted,
      cachedTokens,
      isLast,
    };
  }

  #letGo(sequence: LiveSequence): void {
    this.#liveById.delete(sequence.asked.id);
    if (sequence.state === "running") this.#running.release(sequence);
    else sequence.state = "gone";
  }
}
