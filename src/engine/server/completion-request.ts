import type { RequestFault } from "./fault.ts";

/** A request for text, checked, with the defaults filled in. */
export interface CompletionRequest {
  readonly isChat: boolean;
  /** One for each prompt: the texts that it is made of, or token ids. */
  readonly prompts: readonly Prompt[];
  /** Replies for each prompt. */
  readonly n: number;
  readonly isStreamed: boolean;
  readonly usage: "none" | "at the end" | "in each event";
  readonly timings: "none" | "at the end" | "in each event";
  /** Absent: as long as the context allows. */
  readonly maxTokens: number | undefined;
  readonly minTokens: number;
  readonly ignoresEos: boolean;
  readonly stop: readonly string[];
  readonly seed: number | undefined;
  readonly fault: RequestFault | undefined;
}

export type Prompt =
  | { readonly kind: "texts"; readonly texts: readonly string[] }
  | { readonly kind: "tokens"; readonly tokens: readonly number[] };
