import type { EngineProfile } from "../profiles/engine-profile.ts";
import { acceptedDrafts, proposedDrafts } from "./drafts.ts";
import { isDecoding, type LiveSequence, liveSequence } from "./live-sequence.ts";
import { BLOCK_TOKENS, PrefixCache } from "./prefix-cache.ts";
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
  readonly #cache: PrefixCache | undefined;
  readonly #liveById = new Map<number, LiveSequence>();
  readonly #waiting = new WaitingLine();
  /** In order of arrival; those that are gone stay until the next step begins. */
  readonly #admitted: LiveSequence[] = [];
  #hasBegun = false;
  #running = 0;
  #kvTokens = 0;
  #cacheQueryTokens = 0;
  #cacheHitTokens = 0;
  #draftTokens = 0;
  #acceptedDraftTokens = 0;

  constructor(profile: EngineProfile) {
    this.#profile = profile;
    if (!profile.hasPrefixCache) return;
    this.#cache = new PrefixCache(Math.floor(profile.kvTokens / BLOCK_TOKENS));
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
    const { decoding, contextTokens } = this.#decoding();
    const roomTokens = this.#profile.stepTokens - decoding * (1 + this.#profile.draftTokens);
    const continuedTokens = this.#continuePrefill(roomTokens);
    const prefillTokens = continuedTokens + this.#admit(roomTokens - continuedTokens);
    if (decoding + prefillTokens === 0) return undefined;
    this.#hasBegun = true;
    return stepPlan(this.#profile, { decoding, prefillTokens, contextTokens });
  }

  /** Ends the step that has begun: the new tokens, in order of arrival. */
  finish(): readonly SequenceProgress[] {
    if (!this.#hasBegun) throw new Error("no step has begun");
    this.#hasBegun = false;
    const progress: SequenceProgress[] = [];
    for (const sequence of this.#admitted) {
      if (sequence.state === "gone") continue;
      if (isDecoding(sequence)) progress.push(this.#decode(sequence));
      else if (this.#prefill(sequence)) progress.push(this.#produce(sequence, 0, 0));
    }
    return progress;
  }

  /** `kvTokens` is what is reserved. */
  counts(): ScheduleCounts {
    return {
      waiting: this.#liveById.size - this.#running,
      running: this.#running,
      kvTokens: this.#kvTokens,
      cacheQueryTokens: this.#cacheQueryTokens,
      cacheHitTokens: this.#cacheHitTokens,
      draftTokens: this.#draftTokens,
      acceptedDraftTokens: this.#acceptedDraftTokens,
    };
  }

  /** Counts those that decode in the next step, and forgets those that are gone. */
  #decoding(): { decoding: number; contextTokens: number } {
    let kept = 0;
    let decoding = 0;
    let contextTokens = 0;
    for (const sequence of this.#admitted) {
      if (sequence.state === "gone") continue;
      this.#admitted[kept++] = sequence;
      if (!isDecoding(sequence)) continue;
      decoding++;
      contextTokens += sequence.promptTokens + sequence.producedTokens;
    }
    this.#admitted.length = kept;
    return { decoding, contextTokens };
  }

  #continuePrefill(roomTokens: number): number {
    let takenTokens = 0;
    for (const sequence of this.#admitted) {
      if (!isDecoding(sequence)) takenTokens += takeChunk(sequence, roomTokens - takenTokens);
    }
    return takenTokens;
  }

  /** Lets in the next ones in the line, until one of them finds no room: none passes another. */
  #admit(roomTokens: number): number {
    const { maxRunning, kvTokens } = this.#profile;
    let takenTokens = 0;
    while (takenTokens < roomTokens && this.#running < maxRunning) {
      const sequence = this.#waiting.first();
      if (!sequence || this.#kvTokens + sequence.reservedTokens > kvTokens) break;
      this.#waiting.takeFirst();
      this.#admitted.push(sequence);
      sequence.state = "running";
      this.#running++;
      this.#kvTokens += sequence.reservedTokens;
      this.#lookUpPrefix(sequence);
      takenTokens += takeChunk(sequence, roomTokens - takenTokens);
    }
    return takenTokens;
  }

  /** At least the last token of a prompt is computed: from it comes the first of the reply. */
  #lookUpPrefix(sequence: LiveSequence): void {
    if (!this.#cache) return;
    const { promptTokens, asked } = sequence;
    const mostBlocks = Math.min(
      Math.floor((promptTokens - 1) / BLOCK_TOKENS),
      asked.blockHashes.length,
    );
    sequence.cachedTokens = this.#cache.use(asked.blockHashes, mostBlocks) * BLOCK_TOKENS;
    sequence.readyTokens = sequence.cachedTokens;
    this.#cacheQueryTokens += promptTokens;
    this.#cacheHitTokens += sequence.cachedTokens;
  }

  /** @returns whether its prompt is done by that. */
  #prefill(sequence: LiveSequence): boolean {
    const { readyTokens, chunkTokens, asked } = sequence;
    sequence.readyTokens += chunkTokens;
    const doneBlocks = Math.floor(sequence.readyTokens / BLOCK_TOKENS);
    this.#cache?.add(
      asked.blockHashes,
      Math.floor(readyTokens / BLOCK_TOKENS),
      Math.min(doneBlocks, asked.blockHashes.length),
    );
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
    if (sequence.state === "running") {
      this.#running--;
      this.#kvTokens -= sequence.reservedTokens;
    }
    sequence.state = "gone";
  }
}

/** Takes as much of the prompt into the step as there is room for. */
function takeChunk(sequence: LiveSequence, roomTokens: number): number {
  const restTokens = sequence.promptTokens - sequence.readyTokens;
  sequence.chunkTokens = Math.min(Math.max(0, roomTokens), restTokens);
  return sequence.chunkTokens;
}
