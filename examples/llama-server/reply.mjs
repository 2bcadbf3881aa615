// @ts-check
import { randomUUID } from "node:crypto";

/** @typedef {import("./llama-node.mjs").LlamaTimings} LlamaTimings */
/** @typedef {"stop" | "length"} FinishReason */

const SHAPES = {
  chat: { prefix: "chatcmpl", whole: "chat.completion", chunk: "chat.completion.chunk" },
  text: { prefix: "cmpl", whole: "text_completion", chunk: "text_completion" },
};

/** The objects that the reply to one request is made of. */
export class Reply {
  /**
   * @param {"chat" | "text"} kind
   * @param {string} model
   */
  constructor(kind, model) {
    this.kind = kind;
    this.shape = SHAPES[kind];
    const id = `${this.shape.prefix}-${randomUUID()}`;
    this.head = { id, created: Math.floor(Date.now() / 1000), model };
  }

  /** What a stream begins with, if anything. */
  opening() {
    return this.kind === "chat" ? [this.#chunk({ role: "assistant", content: "" })] : [];
  }

  /** @param {string} text */
  piece(text) {
    return this.#chunk(this.kind === "chat" ? { content: text } : text);
  }

  /**
   * What a stream ends with; the last of it has the engine's own times, as llama.cpp's server does.
   *
   * @param {FinishReason} finishReason
   * @param {LlamaTimings} timings
   * @param {boolean} includeUsage
   */
  closing(finishReason, timings, includeUsage) {
    const end = this.#chunk(this.kind === "chat" ? {} : "", finishReason);
    if (!includeUsage) return [{ ...end, timings }];
    const { chunk: object } = this.shape;
    return [end, { ...this.head, object, choices: [], usage: usageOf(timings), timings }];
  }

  /**
   * @param {string} text
   * @param {FinishReason} finishReason
   * @param {LlamaTimings} timings
   */
  whole(text, finishReason, timings) {
    const content =
      this.kind === "chat" ? { message: { role: "assistant", content: text } } : { text };
    const choice = { index: 0, ...content, logprobs: null, finish_reason: finishReason };
    const { whole: object } = this.shape;
    return { ...this.head, object, choices: [choice], usage: usageOf(timings), timings };
  }

  /**
   * @param {object | string} content
   * @param {FinishReason | null} [finishReason]
   */
  #chunk(content, finishReason = null) {
    const delta = typeof content === "string" ? { text: content } : { delta: content };
    const choice = { index: 0, ...delta, logprobs: null, finish_reason: finishReason };
    return { ...this.head, object: this.shape.chunk, choices: [choice] };
  }
}

/** @param {LlamaTimings} timings */
function usageOf({ cache_n, prompt_n, predicted_n }) {
  const promptTokens = cache_n + prompt_n;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: predicted_n,
    total_tokens: promptTokens + predicted_n,
    prompt_tokens_details: { cached_tokens: cache_n },
  };
}
