// @ts-check
import { open } from "node:fs/promises";
import { basename } from "node:path";
import { llama } from "./llama-node.mjs";

/** @typedef {import("./llama-node.mjs").LlamaContext} LlamaContext */
/** @typedef {import("./llama-node.mjs").LlamaResult} LlamaResult */
/** @typedef {import("./read-request.mjs").ChatMessage} ChatMessage */

/**
 * @typedef {object} GenerateOptions
 * @property {string} prompt - with what the chat template adds.
 * @property {number} maxTokens - at least 1; the engine would take 0 for no limit.
 * @property {number} temperature - 0 always takes the likeliest token.
 * @property {number} topP
 * @property {number | undefined} seed
 * @property {readonly string[]} stop
 * @property {boolean} ignoreEos
 */

/** Most tokens in one step of the engine, those of all slots together. */
const BATCH_TOKENS = 512;

/** The package's defaults are llama.cpp's but for these: with them, not even temperature 0 repeats. */
const PLAIN_SAMPLING = { xtc_probability: 0, dry_multiplier: 0 };

/**
 * Any text without an end. The package's own `ignore_eos` changes nothing, and its `logit_bias`
 * writes where it must not (both seen with 1.7.15).
 */
const ENDLESS = "root ::= . root";

/** llama.cpp with slots: each computes one request, all in the same batches; more requests wait. */
export class Engine {
  /** @type {LlamaContext} */
  #context;

  /**
   * @param {LlamaContext} context - with its slots enabled.
   * @param {{ modelName: string; slots: number; contextTokens: number }} facts
   */
  constructor(context, { modelName, slots, contextTokens }) {
    this.#context = context;
    this.modelName = modelName;
    this.slots = slots;
    /** The most tokens of a prompt and its reply together. */
    this.contextTokens = contextTokens;
    this.version = `b${llama.BuildInfo.number}`;
  }

  /**
   * Loads a model.
   *
   * @param {string} file - GGUF; not needed any more when this is done.
   * @param {{ slots: number; context: number; threads: number }} options
   */
  static async open(file, { slots, context, threads }) {
    await checkModel(file);
    const loaded = await llama.loadModel({
      model: file,
      n_ctx: context * slots,
      n_batch: BATCH_TOKENS,
      n_parallel: slots,
      n_threads: threads,
      n_gpu_layers: 0,
      // Each slot has its own part of the context, and no reply outgrows it by forgetting its start.
      kv_unified: false,
      ctx_shift: false,
      use_mmap: false,
    });
    await loaded.parallel.enable({ n_parallel: slots, n_batch: BATCH_TOKENS });
    const named = loaded.getModelInfo().metadata["general.name"];
    const modelName = named ?? basename(file, ".gguf");
    return new Engine(loaded, { modelName, slots, contextTokens: context });
  }

  /**
   * @param {readonly ChatMessage[]} messages
   * @returns {string} as the model's own chat template writes them
   */
  promptOf(messages) {
    // Without the search for the syntax of tool calls, which takes twice the time of the rest.
    const params = { jinja: true, add_generation_prompt: true, force_pure_content: true };
    return this.#context.getFormattedChat([...messages], null, params).prompt;
  }

  /** @param {string} prompt */
  async countTokens(prompt) {
    return (await this.#context.tokenize(prompt)).tokens.length;
  }

  /**
   * Generates text, as soon as a slot is free.
   *
   * @param {GenerateOptions} options
   * @param {(text: string) => void} onText - gets the text of each token, when it makes characters.
   * @param {AbortSignal} signal - frees the slot, or the place in the queue.
   * @returns {Promise<LlamaResult>} its text is what `onText` got, and maybe a rest
   */
  async generate(options, onText, signal) {
    const { promise, stop } = await this.#context.parallel.completion(
      {
        ...PLAIN_SAMPLING,
        prompt: options.prompt,
        n_predict: options.maxTokens,
        temperature: options.temperature,
        top_p: options.topP,
        stop: options.stop,
        ...(options.seed === undefined ? {} : { seed: options.seed | 0 }),
        ...(options.ignoreEos ? { grammar: ENDLESS } : {}),
      },
      (_, { token }) => {
        if (!signal.aborted) onText(token);
      },
    );
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** How many requests are computed, and how many wait. */
  status() {
    const { active_slots, queued_requests } = this.#context.parallel.getStatus();
    return { active: active_slots, queued: queued_requests };
  }

  /** Ends what is being generated, and gives the memory back. */
  close() {
    return this.#context.release();
  }
}

/**
 * The package ends the process when a model cannot be loaded.
 *
 * @param {string} file
 * @throws {Error} where it cannot be read, or is of another format
 */
async function checkModel(file) {
  const opened = await open(file);
  try {
    const { buffer } = await opened.read(Buffer.alloc(4), 0, 4);
    if (buffer.toString() !== "GGUF") throw new Error(`${file} is not a model in GGUF format`);
  } finally {
    await opened.close();
  }
}
