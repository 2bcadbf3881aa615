import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { JoulemarkError } from "../errors.ts";
import type { EngineOptions } from "./engine-options.ts";
import { EngineTruth } from "./engine-truth.ts";
import type { RailDevice } from "./rail/rail-options.ts";

/** A simulated engine in a process of its own. */
export interface Engine {
  /** Such as `http://127.0.0.1:40123`; the API is below `/v1`. */
  readonly url: string;
  /** What really happened in it. */
  readonly truth: EngineTruth;
  /** The stand-in `nvidia-smi` that shows its GPUs. */
  readonly nvidiaSmiPath: string;
  readonly devices: readonly RailDevice[];
  /** The one that it lists. */
  readonly model: string;
  readonly pid: number;
  /** Ends it and takes its files away. */
  close(): Promise<void>;
}

const MAIN = fileURLToPath(new URL("./main.js", import.meta.url));

interface FirstLine {
  readonly ready?: {
    readonly url: string;
    readonly nvidiaSmiPath: string;
    readonly devices: readonly RailDevice[];
    readonly model: string;
  };
  readonly failed?: { readonly code: "bad_option"; readonly message: string };
}

/**
 * Starts joulemark's built-in engine: an OpenAI-compatible server that simulates an LLM, the GPUs
 * that it runs on and their sensors, and that knows what really happened. It ends with this
 * program at the latest.
 *
 * @throws {JoulemarkError} `bad_option`, with all that is wrong with the options.
 */
export async function startEngine(options: EngineOptions = {}): Promise<Engine> {
  const optionsJson = jsonOf(options);
  const child = spawn(process.execPath, [MAIN], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  // An engine that has ended already says so by its exit.
  child.stdin.on("error", () => {});
  child.stdin.write(`${optionsJson}\n`);
  const lines = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([
    once(lines, "line"),
    ended.then(([code]) => Promise.reject(new Error(`the engine did not start (exit ${code})`))),
  ])) as [string];
  const { ready, failed } = JSON.parse(line) as FirstLine;
  if (!ready) {
    await ended;
    throw new JoulemarkError(failed?.code ?? "bad_option", failed?.message ?? line);
  }
  return {
    ...ready,
    truth: new EngineTruth(ready.url),
    pid: child.pid!,
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}

/** @throws {JoulemarkError} `bad_option` for what JSON would make something else of. */
function jsonOf(options: unknown): string {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new JoulemarkError("bad_option", `the engine's options: ${options} is not an object`);
  }
  return JSON.stringify({ truth: true, ...options }, (key, value: unknown) => {
    if (typeof value !== "number" || Number.isFinite(value)) return value;
    throw new JoulemarkError("bad_option", `engine.${key}: ${value} is not a number`);
  });
}
