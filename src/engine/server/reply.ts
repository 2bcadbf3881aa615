import type { SequenceProgress } from "../schedule/sequence.ts";
import type { CompletionRequest } from "./completion-request.ts";
import type { Generation } from "./generation.ts";
import type { ReplyNames } from "./reply-ids.ts";

/** How a reply came to its end, as its server sees it. */
export type ReplyEnd = "finished" | "failed" | "cut" | "abandoned";

/** Where the tokens of one request go. */
export interface Reply {
  /** @param dueNs - when the tokens were to be sent, in ns since the engine's origin. */
  take(generation: Generation, progress: SequenceProgress, dueNs: number): void;
  /** Nothing more will be sent. */
  stop(): void;
}

/** What a reply knows of its request, and whom it tells what it does. */
export interface ReplyContext {
  readonly request: CompletionRequest;
  readonly names: ReplyNames;
  readonly generations: readonly Generation[];
  /** To be called just before tokens are sent. @returns the time, where it is to be in the event. */
  onSend(generation: Generation, tokens: number, dueNs: number): string | undefined;
  onEnd(end: ReplyEnd): void;
}
