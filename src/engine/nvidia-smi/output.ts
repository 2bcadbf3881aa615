import { openSync, writeSync } from "node:fs";

const STDOUT = 1;
const STDERR = 2;

/** What a shell reports of a program that its broken pipe has killed. */
const BROKEN_PIPE_EXIT_CODE = 141;

/**
 * Standard output, written at once and in the caller's thread, as a C program does it.
 *
 * A reader that is slow holds the program up; a reader that is gone ends it, silently.
 */
export class Output {
  readonly #log: number | undefined;
  readonly #isLoop: boolean;

  constructor(options: { logFile?: string | undefined; isLoop: boolean }) {
    this.#log = options.logFile === undefined ? undefined : openSync(options.logFile, "a");
    this.#isLoop = options.isLoop;
  }

  /** Writes lines, and logs each with the time just before the write. */
  print(text: string, encoding: "utf8" | "latin1" = "utf8"): void {
    const atNs = String(process.hrtime.bigint());
    this.write(Buffer.from(text, encoding));
    if (this.#log === undefined || text === "") return;
    const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
    const entries = lines.map((line) => JSON.stringify({ atNs, line, isLoop: this.#isLoop }));
    writeSync(this.#log, `${entries.join("\n")}\n`);
  }

  /** Writes bytes that are not logged. */
  write(bytes: Buffer): void {
    writeAll(STDOUT, bytes);
  }

  printError(text: string): void {
    writeAll(STDERR, Buffer.from(text));
  }
}

function writeAll(file: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(file, bytes, written);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A pipe that its other owner made non-blocking: wait as a blocking one would.
      if (code === "EAGAIN") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
      else if (code === "EPIPE") process.exit(BROKEN_PIPE_EXIT_CODE);
      else throw error;
    }
  }
}
