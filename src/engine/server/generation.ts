import { replyTokenText } from "../schedule/reply-text.ts";
import type { SequenceProgress } from "../schedule/sequence.ts";

export type FinishReason = "stop" | "length";

/** One reply as it is planned before its first token. */
export interface GenerationPlan {
  readonly id: number;
  /** `index` of its choice in the reply. */
  readonly choice: number;
  readonly key: number;
  readonly promptTokens: number;
  /** At how many tokens it ends. */
  readonly replyTokens: number;
  /** Why it ends there. */
  readonly finishReason: FinishReason;
  readonly stop: readonly string[];
  /** No stop text ends it before. */
  readonly minTokens: number;
}

/** What a step added to a reply. */
export interface Piece {
  /** Empty only where a stop text took all of it away. */
  readonly text: string;
  /** Tokens that were computed for it. */
  readonly tokens: number;
  readonly finishReason: FinishReason | undefined;
}

/** One reply that grows. */
export class Generation {
  readonly plan: GenerationPlan;
  tokens = 0;
  cachedTokens = 0;
  draftTokens = 0;
  acceptedDraftTokens = 0;
  /** When its prefill began to be possible, its first and its last token, as scheduled. */
  readonly arrivedNs: number;
  firstTokenNs = 0;
  lastTokenNs = 0;
  /** As much of the text as a stop text may begin in. */
  #tail = "";

  constructor(plan: GenerationPlan, arrivedNs: number) {
    this.plan = plan;
    this.arrivedNs = arrivedNs;
  }

  /** Takes in what a step did, which was due at `atNs`. */
  push(progress: SequenceProgress, atNs: number): Piece {
    let text = "";
    for (let i = 0; i < progress.tokens; i++) {
      text += replyTokenText(this.plan.key, progress.firstToken + i);
    }
    if (this.tokens === 0) this.firstTokenNs = atNs;
    this.lastTokenNs = atNs;
    this.tokens += progress.tokens;
    this.cachedTokens = progress.cachedTokens;
    this.draftTokens += progress.draftTokens;
    this.acceptedDraftTokens += progress.acceptedDraftTokens;
    const stoppedText = this.#stoppedAt(text);
    if (stoppedText !== undefined) {
      return { text: stoppedText, tokens: progress.tokens, finishReason: "stop" };
    }
    const finishReason = progress.isLast ? this.plan.finishReason : undefined;
    return { text, tokens: progress.tokens, finishReason };
  }

  /** The part of a new text that stands before a stop text; `undefined` where there is none. */
  #stoppedAt(text: string): string | undefined {
    const { stop, minTokens } = this.plan;
    if (stop.length === 0) return undefined;
    const seen = this.#tail + text;
    const longest = Math.max(...stop.map((entry) => entry.length));
    this.#tail = longest > 1 ? seen.slice(1 - longest) : "";
    if (this.tokens < minTokens) return undefined;
    const found = stop.map((entry) => seen.indexOf(entry)).filter((at) => at >= 0);
    if (found.length === 0) return undefined;
    // What was sent before cannot be taken back: a stop text across two events keeps its beginning.
    return text.slice(0, Math.max(0, Math.min(...found) - (seen.length - text.length)));
  }
}
