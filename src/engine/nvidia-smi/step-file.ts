import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { JoulemarkError } from "../../errors.ts";
import type { PowerStep } from "./step-power.ts";

const CHUNK_BYTES = 65_536;

/** Of a file that is longer when it is first looked at, only so much of its end is read. */
const TAIL_BYTES = 262_144;

interface OpenFile {
  readonly descriptor: number;
  readonly inode: bigint;
}

interface TimedStep extends PowerStep {
  readonly atNs: bigint;
}

/** Reads the power steps that another program appends to a JSONL file, each once. */
export class StepFile {
  readonly #path: string;
  readonly #originNs: bigint;
  #file: OpenFile | undefined;
  #readBytes = 0;
  /** The beginning of a line whose end is not written yet. */
  #tail = "";
  #lastAtNs = -1n;

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
    return this.#readOn();
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file.descriptor);
    this.#file = undefined;
    this.#readBytes = 0;
    this.#tail = "";
  }

  #readOn(): TimedStep[] {
    if (this.#file === undefined) {
      this.#file = openIfThere(this.#path);
      return this.#file === undefined ? [] : this.#readFirst(this.#file.descriptor);
    }
    // Whoever put a new file in place has written the old one to its end before.
    const isReplaced = this.#isReplaced(this.#file);
    const steps = this.#newSteps(this.#file.descriptor);
    if (!isReplaced) return steps;
    this.close();
    const lastAtNs = this.#lastAtNs;
    return [...steps, ...this.#readOn().filter(({ atNs }) => atNs > lastAtNs)];
  }

  #isReplaced({ inode }: OpenFile): boolean {
    const there = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    return there !== undefined && there.ino !== inode;
  }

  /** Begins behind a line that the tail has cut, if it is longer than the tail. */
  #readFirst(descriptor: number): TimedStep[] {
    this.#readBytes = Math.max(0, fstatSync(descriptor).size - TAIL_BYTES);
    if (this.#readBytes > 0) {
      const text = this.#newText(descriptor);
      this.#tail = text.slice(text.indexOf("\n") + 1);
    }
    return this.#newSteps(descriptor);
  }

  #newSteps(descriptor: number): TimedStep[] {
    const lines = (this.#tail + this.#newText(descriptor)).split("\n");
    this.#tail = lines.pop() ?? "";
    const steps = lines.filter((line) => line.trim() !== "").map((line) => this.#parse(line));
    this.#lastAtNs = steps.at(-1)?.atNs ?? this.#lastAtNs;
    return steps;
  }

  #newText(descriptor: number): string {
    const wantedBytes = fstatSync(descriptor).size - this.#readBytes;
    if (wantedBytes <= 0) return "";
    let text = "";
    const chunk = Buffer.allocUnsafe(Math.min(wantedBytes, CHUNK_BYTES));
    for (;;) {
      const bytes = readSync(descriptor, chunk, 0, chunk.length, this.#readBytes);
      if (bytes === 0) return text;
      this.#readBytes += bytes;
      // Steps are ASCII, so a chunk cannot end inside a character.
      text += chunk.toString("latin1", 0, bytes);
    }
  }

  #parse(line: string): TimedStep {
    const step = parseStep(line);
    if (step === undefined) {
      throw new JoulemarkError("bad_option", `${this.#path}: "${line}" is not a power step`);
    }
    const atMs = Number(step.atNs - this.#originNs) / 1e6;
    return { ...step, atMs };
  }
}

function parseStep(line: string): Omit<TimedStep, "atMs"> | undefined {
  try {
    const { atNs, powerW, cappedUs } = JSON.parse(line) as Record<string, unknown>;
    if (!isNotNegative(powerW)) return undefined;
    if (cappedUs === undefined) return { atNs: BigInt(atNs as string), powerW };
    return isNotNegative(cappedUs) ? { atNs: BigInt(atNs as string), powerW, cappedUs } : undefined;
  } catch {
    return undefined;
  }
}

function isNotNegative(value: unknown): value is number {
  return Number.isFinite(value) && (value as number) >= 0;
}

function openIfThere(path: string): OpenFile | undefined {
  try {
    const descriptor = openSync(path, "r");
    return { descriptor, inode: fstatSync(descriptor, { bigint: true }).ino };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
