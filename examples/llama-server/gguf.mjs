// @ts-check
/**
 * A writer of GGUF, version 3: the file format of llama.cpp's models.
 *
 * @see https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 */

/**
 * A value that says of itself how it is stored.
 *
 * @typedef {{ type: "u32" | "i32" | "f32"; value: number }
 *   | { type: "bool"; value: boolean }
 *   | { type: "string"; value: string }
 *   | { type: "array"; of: "i32" | "f32"; value: readonly number[] }
 *   | { type: "array"; of: "string"; value: readonly string[] }} GgufValue
 */

/**
 * Rows of 32-bit floats. `shape` has the length of a row first, as GGUF has it.
 *
 * @typedef {{ name: string; shape: readonly number[]; values: Float32Array }} GgufTensor
 */

const VERSION = 3;
const ALIGNMENT_BYTES = 32;
const TYPE_IDS = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9 };
const TENSOR_F32 = 0;

/**
 * @param {Readonly<Record<string, GgufValue>>} metadata
 * @param {readonly GgufTensor[]} tensors
 * @returns {Buffer} the whole file
 */
export function ggufFile(metadata, tensors) {
  const entries = Object.entries(metadata);
  const head = Buffer.concat([
    Buffer.from("GGUF"),
    u32(VERSION),
    u64(tensors.length),
    u64(entries.length),
    ...entries.map(([key, entry]) =>
      Buffer.concat([text(key), u32(TYPE_IDS[entry.type]), valueBytes(entry)]),
    ),
    ...tensorHeads(tensors),
  ]);
  return Buffer.concat([aligned(head), ...tensors.map(({ values }) => aligned(bytesOf(values)))]);
}

/** @param {readonly GgufTensor[]} tensors */
function tensorHeads(tensors) {
  let offset = 0;
  return tensors.map(({ name, shape, values }) => {
    const head = [text(name), u32(shape.length), ...shape.map(u64), u32(TENSOR_F32), u64(offset)];
    offset += alignedLength(values.byteLength);
    return Buffer.concat(head);
  });
}

/** @param {GgufValue} entry */
function valueBytes(entry) {
  if (entry.type !== "array") return scalar(entry.type, entry.value);
  const items = entry.value.map((item) => scalar(entry.of, item));
  return Buffer.concat([u32(TYPE_IDS[entry.of]), u64(items.length), ...items]);
}

/**
 * @param {"u32" | "i32" | "f32" | "bool" | "string"} type
 * @param {number | boolean | string} value
 */
function scalar(type, value) {
  if (type === "string") return text(String(value));
  if (type === "bool") return Buffer.of(value ? 1 : 0);
  const bytes = Buffer.alloc(4);
  if (type === "u32") bytes.writeUInt32LE(Number(value));
  else if (type === "i32") bytes.writeInt32LE(Number(value));
  else bytes.writeFloatLE(Number(value));
  return bytes;
}

/** @param {number} value */
function u32(value) {
  return scalar("u32", value);
}

/** @param {number} value */
function u64(value) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

/** @param {string} value */
function text(value) {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(bytes.length), bytes]);
}

/** @param {Float32Array} values */
function bytesOf(values) {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength);
}

/** @param {Buffer} bytes */
function aligned(bytes) {
  return Buffer.concat([bytes], alignedLength(bytes.length));
}

/** @param {number} length */
function alignedLength(length) {
  return Math.ceil(length / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
}
