import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { JoulemarkError } from "../../errors.ts";
import type { PowerStep } from "./step-power.ts";

const CHUNK_BYTES = 65_536;

/** Reads the power steps that another program appends to a JSONL file, each once. */
export class StepFile {
  readonly #path: string;
  readonly #originNs: bigint;
  #file: number | undefined;
  #readBytes = 0;
  /** The beginning of a line whose end is not written yet. */
  #tail = "";

  /** @param originNs - the instant on the machine's monotonic clock that steps count from. */
  constructor(path: string, originNs: bigint) {
    this.#path = path;
    this.#originNs = originNs;
  }

  /**
   * The steps written since the last call; none while the file does not exist.
   *
   * @throws {JoulemarkError} `bad_option` for a finished line that is no step.
   */
  readOn(): PowerStep[] {
    this.#file ??= openIfThere(this.#path);
    if (this.#file === undefined) return [];
    const lines = (this.#tail + this.#newText(this.#file)).split("\n");
    this.#tail = lines.pop() ?? "";
    return lines.filter((line) => line.trim() !== "").map((line) => this.#parse(line));
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #newText(file: number): string {
    const wantedBytes = fstatSync(file).size - this.#readBytes;
    if (wantedBytes <= 0) return "";
    let text = "";
    const chunk = Buffer.allocUnsafe(Math.min(wantedBytes, CHUNK_BYTES));
    for (;;) {
      const bytes = readSync(file, chunk, 0, chunk.length, this.#readBytes);
      if (bytes === 0) return text;
      this.#readBytes += bytes;
      // Steps are ASCII, so a chunk cannot end inside a character.
      text += chunk.toString("latin1", 0, bytes);
    }
  }

  #parse(line: string): PowerStep {
    try {
      const { atNs, powerW } = JSON.parse(line) as { atNs: string; powerW: number };
      const atMs = Number(BigInt(atNs) - this.#originNs) / 1e6;
      if (Number.isFinite(powerW) && powerW >= 0) return { atMs, powerW };
    } catch {
      // Falls through to the one message for whatever is wrong with the line.
    }
    throw new JoulemarkError("bad_option", `${this.#path}: "${line}" is not a power step`);
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
