import type { RequestTarget } from "../target/request-target.ts";

/** Which of the two OpenAI-style requests is sent. */
export type Endpoint = RequestTarget["endpoint"];

/** One turn of a chat, sent as it is; a data set's further fields go along. */
export interface Message {
  readonly role: string;
  readonly content: string | readonly unknown[] | null;
}

/** What a request asks, without `model`, `stream` or a limit: those are the benchmark's to add. */
export type PromptBody = { readonly messages: readonly Message[] } | { readonly prompt: string };

/** One request of a workload. */
export interface WorkloadRequest {
  readonly body: PromptBody;
  /** What the server is known to count for it; absent when nobody has asked the server. */
  readonly expectedInputTokens?: number;
  /** How many tokens it shall answer with; absent when the workload does not care. */
  readonly outputTokens?: number;
}

/** A supply of requests, the same ones in the same order every time. */
export interface Workload {
  /** What it is, for records and people, such as `synthetic` or `dataset prompts.jsonl`. */
  readonly name: string;
  /**
   * How many requests differ. A load that asks for more gets some again, and a prefix cache may
   * answer those; with synthetic prompts it is an error instead.
   */
  readonly distinctRequests: number;
  /** @param index - from 0 on; asking twice gives the same request. */
  requestAt(index: number): WorkloadRequest;
}

/** A plain prompt in the form that an endpoint takes. */
export function promptBody(prompt: string, endpoint: Endpoint): PromptBody {
  return endpoint === "chat" ? { messages: [{ role: "user", content: prompt }] } : { prompt };
}
