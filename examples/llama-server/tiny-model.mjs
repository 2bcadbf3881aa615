// @ts-check
import { ggufFile } from "./gguf.mjs";
import { seededNormal } from "./seeded-normal.mjs";
import { BEGIN_ID, END_ID, FIRST_WORD_ID, UNKNOWN_ID, vocabulary } from "./vocabulary.mjs";

/** @typedef {import("./gguf.mjs").GgufTensor} GgufTensor */
/** @typedef {import("./gguf.mjs").GgufValue} GgufValue */

const WIDTH = 64;
const LAYERS = 2;
const HEADS = 4;
const KEY_HEADS = 2;
const FEED_FORWARD = 176;
const VOCABULARY = 512;
const CONTEXT = 8192;

/** Names each speaker, and leaves the floor to the assistant. */
const CHAT_TEMPLATE =
  "{% for message in messages %}{{ message['role'] + ': ' + message['content'] + '\\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ 'assistant:' }}{% endif %}";

/**
 * A language model of the llama architecture with random weights: it computes as a real one does,
 * and talks nonsense.
 *
 * @param {"words" | "anything"} [says] - `words`, the default: it never ends by itself, so a reply is
 *   as long as was asked for. `anything`: it also says single bytes, most of which are no whole
 *   character, and sometimes the end.
 * @returns {Buffer} a GGUF file of 0.65 MB; the same bytes each time
 */
export function tinyModel(says = "words") {
  return ggufFile(metadata(), tensors(says === "words" ? FIRST_WORD_ID : END_ID));
}

/** @returns {Record<string, GgufValue>} */
function metadata() {
  const tokens = vocabulary(VOCABULARY);
  return {
    "general.architecture": string("llama"),
    "general.name": string("tiny-random-llama"),
    "general.file_type": u32(0),
    "llama.context_length": u32(CONTEXT),
    "llama.embedding_length": u32(WIDTH),
    "llama.block_count": u32(LAYERS),
    "llama.feed_forward_length": u32(FEED_FORWARD),
    "llama.attention.head_count": u32(HEADS),
    "llama.attention.head_count_kv": u32(KEY_HEADS),
    "llama.attention.layer_norm_rms_epsilon": { type: "f32", value: 1e-5 },
    "llama.rope.dimension_count": u32(WIDTH / HEADS),
    "llama.vocab_size": u32(tokens.length),
    "tokenizer.ggml.model": string("llama"),
    "tokenizer.ggml.tokens": { type: "array", of: "string", value: tokens.map((t) => t.text) },
    "tokenizer.ggml.scores": { type: "array", of: "f32", value: tokens.map((t) => t.score) },
    "tokenizer.ggml.token_type": { type: "array", of: "i32", value: tokens.map((t) => t.kind) },
    "tokenizer.ggml.bos_token_id": u32(BEGIN_ID),
    "tokenizer.ggml.eos_token_id": u32(END_ID),
    "tokenizer.ggml.unknown_token_id": u32(UNKNOWN_ID),
    "tokenizer.ggml.add_bos_token": { type: "bool", value: false },
    "tokenizer.ggml.add_eos_token": { type: "bool", value: false },
    "tokenizer.chat_template": string(CHAT_TEMPLATE),
  };
}

/**
 * @param {number} firstSaidId - tokens before it have a logit of 0, where others reach 3 and more:
 *   samplers leave them out.
 * @returns {GgufTensor[]}
 */
function tensors(firstSaidId) {
  const normal = seededNormal(1);
  /** @type {(name: string, shape: readonly [number, number], deviation?: number) => GgufTensor} */
  const random = (name, shape, deviation = 1 / Math.sqrt(shape[0])) => {
    const values = Float32Array.from({ length: shape[0] * shape[1] }, () => normal() * deviation);
    return { name, shape, values };
  };
  /** @type {(name: string) => GgufTensor} */
  const ones = (name) => ({ name, shape: [WIDTH], values: new Float32Array(WIDTH).fill(1) });
  const keyWidth = (WIDTH / HEADS) * KEY_HEADS;
  const layers = Array.from({ length: LAYERS }, (_, layer) => `blk.${layer}`).flatMap((layer) => [
    ones(`${layer}.attn_norm.weight`),
    random(`${layer}.attn_q.weight`, [WIDTH, WIDTH]),
    random(`${layer}.attn_k.weight`, [WIDTH, keyWidth]),
    random(`${layer}.attn_v.weight`, [WIDTH, keyWidth]),
    random(`${layer}.attn_output.weight`, [WIDTH, WIDTH]),
    ones(`${layer}.ffn_norm.weight`),
    random(`${layer}.ffn_gate.weight`, [WIDTH, FEED_FORWARD]),
    random(`${layer}.ffn_up.weight`, [WIDTH, FEED_FORWARD]),
    random(`${layer}.ffn_down.weight`, [FEED_FORWARD, WIDTH]),
  ]);
  const output = random("output.weight", [WIDTH, VOCABULARY], 3 / Math.sqrt(WIDTH));
  output.values.fill(0, 0, firstSaidId * WIDTH);
  return [
    random("token_embd.weight", [WIDTH, VOCABULARY], 1),
    ...layers,
    ones("output_norm.weight"),
    output,
  ];
}

/** @type {(value: number) => GgufValue} */
function u32(value) {
  return { type: "u32", value };
}

/** @type {(value: string) => GgufValue} */
function string(value) {
  return { type: "string", value };
}
