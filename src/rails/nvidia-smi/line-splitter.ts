/** No line of nvidia-smi comes near this length; a longer one is rubbish. */
const LONGEST_LINE = 4096;

/** Lines of one read; the ones that were too long come as what their first part says. */
export interface SplitLines {
  readonly lines: readonly string[];
  readonly tooLong: readonly string[];
}

/**
 * Cuts a byte stream into lines. What has no newline yet is kept for the next read and never
 * handed out: half a number is a wrong number.
 */
export class LineSplitter {
  #rest = "";
  /** In a line that is too long, up to its newline. */
  #skipping = false;

  push(text: string): SplitLines {
    const parts = text.split("\n");
    const lines: string[] = [];
    const tooLong: string[] = [];
    for (const [i, part] of parts.entries()) {
      const isWhole = i < parts.length - 1;
      if (!this.#skipping) this.#rest += part;
      if (this.#rest.length > LONGEST_LINE && !this.#skipping) {
        tooLong.push(this.#rest.slice(0, 80));
        this.#skipping = true;
      }
      if (isWhole) {
        if (!this.#skipping) lines.push(this.#rest.replace(/\r$/, ""));
        this.#skipping = false;
        this.#rest = "";
      } else if (this.#skipping) this.#rest = "";
    }
    return { lines, tooLong };
  }
}
