// @ts-check
import { open } from "node:fs/promises";
import { basename } from "node:path";
import { Cancels } from "./cancels.mjs";
import { llama } from "./llama-node.mjs";
import { Slots } from "./slots.mjs";

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
  #context;
  #cancels;
  #slots;

  /**
   * @param {LlamaContext} context - with one slot more than there are here.
   * @param {Cancels} cancels
   * @param {{ modelName: string; slots: number; contextTokens: number }} facts
   */
  constructor(context, cancels, { modelName, slots, contextTokens }) {
    this.#context = context;
    this.#cancels = cancels;
    // The package has a queue too, but does not always survive when what waits there is taken back.
    this.#slots = new Slots(slots);
    this.modelName = modelName;
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
    const n_parallel = slots + 1;
    const loaded = await llama.loadModel({
      model: file,
      n_ctx: context * n_parallel,
      n_batch: BATCH_TOKENS,
      n_parallel,
      n_threads: threads,
      n_gpu_layers: 0,
      // Each slot has its own part of the context, and no reply outgrows it by forgetting its start.
      kv_unified: false,
      ctx_shift: false,
      use_mmap: false,
    });
    await loaded.parallel.enable({ n_parallel, n_batch: BATCH_TOKENS });
    const cancels = await Cancels.open(loaded.parallel);
    const named = loaded.getModelInfo().metadata["general.name"];
    const modelName = named ?? basename(file, ".gguf");
    return new Engine(loaded, cancels, { modelName, slots, contextTokens: context });
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
    const giveBack = await this.#slots.take(signal);
    try {
      return await this.#generateNow(options, onText, signal);
    } finally {
      giveBack();
    }
  }

  /** How many slots there are, how many are taken, and how many requests wait. */
  status() {
    return { slots: this.#slots.count, ...this.#slots.status() };
  }

  /** @type {Engine["generate"]} */
  async #generateNow(options, onText, signal) {
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
    const cancel = () => this.#cancels.add(stop);
    signal.addEventListener("abort", cancel);
    if (signal.aborted) cancel();
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", cancel);
      this.#cancels.takeBack(stop);
    }
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
