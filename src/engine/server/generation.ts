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
  /** Text behind this, in UTF-16 units, is not sent: there the stop text begins. */
  readonly textUnits: number;
}

/** What a step added to a reply. */
export interface Piece {
  /** Empty only where a stop text took all of it away. */
  readonly text: string;
  readonly finishReason: FinishReason | undefined;
}

/** One reply that grows. */
export class Generation {
  readonly plan: GenerationPlan;
  tokens = 0;
  cachedTokens = 0;
  draftTokens = 0;
  acceptedDraftTokens = 0;
  /** When the engine took it up, its first and its last token, as scheduled. */
  admittedNs: number;
  firstTokenNs = 0;
  lastTokenNs = 0;
  #textUnits = 0;

  /** @param arrivedNs - until the engine takes it up, it counts from there. */
  constructor(plan: GenerationPlan, arrivedNs: number) {
    this.plan = plan;
    this.admittedNs = arrivedNs;
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
    const room = Math.max(0, this.plan.textUnits - this.#textUnits);
    this.#textUnits += text.length;
    const finishReason = progress.isLast ? this.plan.finishReason : undefined;
    return { text: text.length > room ? text.slice(0, room) : text, finishReason };
  }
}
