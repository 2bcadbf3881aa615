// @ts-check
import { createRequire } from "node:module";

/**
 * What is used here of the package `@fugood/llama.node`.
 *
 * @typedef {object} LlamaNode
 * @property {(options: Record<string, unknown>) => Promise<LlamaContext>} loadModel
 * @property {{ number: string }} BuildInfo - of llama.cpp.
 */

/**
 * @typedef {object} LlamaContext
 * @property {LlamaParallel} parallel
 * @property {() => { metadata: Record<string, string> }} getModelInfo
 * @property {(messages: object[], template: null, params: object) => { prompt: string }} getFormattedChat
 * @property {(text: string) => Promise<{ tokens: Int32Array }>} tokenize
 */

/**
 * @typedef {object} LlamaParallel
 * @property {(options: { n_parallel: number; n_batch: number }) => Promise<boolean>} enable
 * @property {(
 *   options: Record<string, unknown>,
 *   onToken: (requestId: number, token: { token: string }) => void,
 * ) => Promise<{ requestId: number; promise: Promise<LlamaResult>; stop: () => void }>} completion
 * @property {() => { requests: LlamaRequest[] }} getStatus
 */

/** @typedef {{ request_id: number; state: string; tokens_generated: number }} LlamaRequest */

/**
 * `prompt_n` leaves out what was cached, which `cache_n` counts.
 *
 * @typedef {object} LlamaTimings
 * @property {number} cache_n
 * @property {number} prompt_n
 * @property {number} prompt_ms
 * @property {number} predicted_n
 * @property {number} predicted_ms
 */

/** @typedef {{ text: string; context_full: boolean; timings: LlamaTimings }} LlamaResult */

export const llama = /** @type {LlamaNode} */ (
  createRequire(import.meta.url)("@fugood/llama.node")
);
