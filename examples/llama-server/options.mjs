// @ts-check
import { parseArgs } from "node:util";

/**
 * @typedef {object} ServerOptions
 * @property {number} port - 0 is any that is free.
 * @property {number} slots - how many requests are computed at once; more of them wait.
 * @property {number} context - the most tokens of a prompt and its reply together.
 * @property {number} threads - threads of the engine.
 * @property {string | undefined} model - a GGUF file; `undefined` is the tiny model.
 * @property {boolean} endWithStdin
 * @property {boolean} verbose - shows what the engine says, on stderr.
 */

export const USAGE = `usage: node server.mjs [options]

  --port N          port on the loopback interface, 0 is any (default 8080)
  --slots N         requests that are computed at once; more of them wait (default 8)
  --context N       most tokens of a prompt and its reply together (default 8192)
  --threads N       threads of the engine (default 1)
  --model FILE      a GGUF file (default: a tiny model with random weights, made at the start)
  --end-with-stdin  end when stdin ends
  --verbose         show what the engine says, on stderr
  --help            show this

It prints one line of JSON with its URL when it is ready.`;

/**
 * @param {readonly string[]} argv
 * @returns {ServerOptions | "help"}
 * @throws {TypeError | RangeError} for what it cannot be started with
 */
export function readOptions(argv) {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      port: { type: "string", default: "8080" },
      slots: { type: "string", default: "8" },
      context: { type: "string", default: "8192" },
      threads: { type: "string", default: "1" },
      model: { type: "string" },
      "end-with-stdin": { type: "boolean", default: false },
      verbose: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  return {
    port: count("--port", values.port, 0, 65_535),
    slots: count("--slots", values.slots, 1, 64),
    context: count("--context", values.context, 64, 1_048_576),
    threads: count("--threads", values.threads, 1, 256),
    model: values.model,
    endWithStdin: values["end-with-stdin"],
    verbose: values.verbose,
  };
}

/**
 * @param {string} flag
 * @param {string} text
 * @param {number} least
 * @param {number} most
 */
function count(flag, text, least, most) {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new RangeError(`${flag} ${text}: give a whole number from ${least} to ${most}`);
}
