import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";

/** Its lines tell of lines in other files, so it is written after them. */
const LAST = "events.jsonl";

/** What a full disk does not take is tried again after so long, in ms. */
const RETRY_MS = 1000;

/** What is kept at most for a disk that takes nothing, in characters. */
const MOST_WAITING = 64 * 1024 * 1024;

interface OpenFile {
  readonly handle: FileHandle;
  /** Up to where it is whole, in bytes. */
  size: number;
}

/**
 * Writes lines to the files of one folder, as fast as they take them.
 *
 * A line of `events.jsonl` reaches the system after every line of another file that was added
 * before it: whatever an event speaks of is there, at whatever moment the program is killed. What
 * cannot be written is kept and tried again, since disks that are full are also emptied.
 */
export class LineWriter {
  readonly #folder: string;
  readonly #files = new Map<string, OpenFile>();
  readonly #failures = new Map<string, string>();
  #waiting = new Map<string, string[]>();
  #waitingLength = 0;
  #writing: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What cannot be written at the moment, once for each file. */
  get failures(): readonly string[] {
    return [...this.#failures.values()];
  }

  /** @param line - without its end. When too much waits for a full disk, no more is taken. */
  add(file: string, line: string): void {
    if (this.#isClosed || this.#waitingLength > MOST_WAITING) return;
    this.#waitingLength += line.length;
    const lines = this.#waiting.get(file);
    if (lines === undefined) this.#waiting.set(file, [line]);
    else lines.push(line);
    if (this.#retry === undefined) this.#writing ??= this.#writeAll();
  }

  /** Resolves when every line up to now has been tried. @returns what could not be written. */
  async flush(): Promise<readonly string[]> {
    while (this.#writing !== undefined) await this.#writing;
    if (this.#waiting.size > 0) {
      this.#writing = this.#writeAll();
      await this.#writing;
    }
    return this.failures;
  }

  /** Takes no more lines; what cannot be written now is given up. */
  async close(): Promise<readonly string[]> {
    this.#isClosed = true;
    await this.flush();
    clearTimeout(this.#retry);
    for (const [name, { handle }] of this.#files) {
      await handle.close().catch((error: Error) => this.#fail(name, error));
    }
    this.#files.clear();
    return this.failures;
  }

  async #writeAll(): Promise<void> {
    // Lines that come in the same turn go into one write.
    await Promise.resolve();
    clearTimeout(this.#retry);
    this.#retry = undefined;
    do await this.#writeWaiting();
    while (this.#waiting.size > 0 && this.#failures.size === 0);
    if (this.#failures.size > 0 && !this.#isClosed) {
      this.#retry = setTimeout(() => {
        this.#writing ??= this.#writeAll();
      }, RETRY_MS).unref();
    }
    this.#writing = undefined;
  }

  async #writeWaiting(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = new Map();
    this.#waitingLength = 0;
    this.#failures.clear();
    const names = [...waiting.keys()].filter((name) => name !== LAST);
    await Promise.all(names.map((name) => this.#write(name, waiting.get(name)!)));
    const last = waiting.get(LAST);
    if (last === undefined) return;
    if (this.#failures.size === 0) await this.#write(LAST, last);
    else this.#keep(LAST, last);
  }

  async #write(name: string, lines: readonly string[]): Promise<void> {
    try {
      const file = this.#files.get(name) ?? (await this.#open(name));
      const bytes = Buffer.from(`${lines.join("\n")}\n`);
      try {
        await file.handle.appendFile(bytes);
        file.size += bytes.length;
      } catch (error) {
        // Half a line of it may be there. Devices cannot be cut.
        await file.handle.truncate(file.size).catch(() => undefined);
        throw error;
      }
    } catch (error) {
      this.#fail(name, error as Error);
      this.#keep(name, lines);
    }
  }

  async #open(name: string): Promise<OpenFile> {
    const handle = await open(join(this.#folder, name), "a");
    const file = { handle, size: (await handle.stat()).size };
    this.#files.set(name, file);
    return file;
  }

  /** In front of what has come since. */
  #keep(name: string, lines: readonly string[]): void {
    this.#waiting.set(name, [...lines, ...(this.#waiting.get(name) ?? [])]);
    this.#waitingLength += lines.reduce((sum, line) => sum + line.length, 0);
  }

  #fail(name: string, { message }: Error): void {
    if (!this.#failures.has(name)) this.#failures.set(name, `${name}: ${message}`);
  }
}
