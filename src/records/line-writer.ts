import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";

/** Its lines tell of lines in other files, so it is written after them. */
const LAST = "events.jsonl";

/**
 * Writes lines to the files of one folder, as fast as they take them.
 *
 * A line of `events.jsonl` reaches the system after every line of another file that was added
 * before it: whatever an event speaks of is there, at whatever moment the program is killed.
 */
export class LineWriter {
  readonly #folder: string;
  readonly #files = new Map<string, FileHandle>();
  readonly #failures = new Map<string, string>();
  #waiting = new Map<string, string[]>();
  #writing: Promise<void> | undefined;
  #isClosed = false;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What could not be written so far, once for each file. */
  get failures(): readonly string[] {
    return [...this.#failures.values()];
  }

  /** @param line - without its end. A file that cannot be written takes no more lines. */
  add(file: string, line: string): void {
    if (this.#isClosed || this.#failures.has(file)) return;
    const lines = this.#waiting.get(file);
    if (lines === undefined) this.#waiting.set(file, [line]);
    else lines.push(line);
    this.#writing ??= this.#writeAll();
  }

  /** Resolves when every line up to now has reached the system. @returns what could not be written. */
  async flush(): Promise<readonly string[]> {
    while (this.#writing !== undefined) await this.#writing;
    return this.failures;
  }

  /** Takes no more lines. */
  async close(): Promise<readonly string[]> {
    this.#isClosed = true;
    await this.flush();
    for (const [name, file] of this.#files) {
      await file.close().catch((error: Error) => this.#fail(name, error));
    }
    this.#files.clear();
    return this.failures;
  }

  async #writeAll(): Promise<void> {
    // Lines that come in the same turn go into one write.
    await Promise.resolve();
    while (this.#waiting.size > 0) {
      const waiting = this.#waiting;
      this.#waiting = new Map();
      const names = [...waiting.keys()].filter((name) => name !== LAST);
      await Promise.all(names.map((name) => this.#write(name, waiting.get(name)!)));
      const last = waiting.get(LAST);
      if (last !== undefined) await this.#write(LAST, last);
    }
    this.#writing = undefined;
  }

  async #write(name: string, lines: readonly string[]): Promise<void> {
    try {
      let file = this.#files.get(name);
      if (file === undefined) {
        file = await open(join(this.#folder, name), "a");
        this.#files.set(name, file);
      }
      await file.appendFile(`${lines.join("\n")}\n`);
    } catch (error) {
      this.#fail(name, error as Error);
    }
  }

  #fail(name: string, { message }: Error): void {
    if (!this.#failures.has(name)) this.#failures.set(name, `${name}: ${message}`);
  }
}
