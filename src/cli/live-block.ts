import { stripVTControlCharacters } from "node:util";
import type { LiveTerminal } from "./output.ts";

const CLEAR_ROW = "\u001b[2K";
const UP = "\u001b[1A";

/**
 * A few lines at the bottom of a terminal that are written over again and again, below lines that
 * stay. The cursor is never hidden, so nothing has to be restored, however the program ends.
 */
export class LiveBlock {
  readonly #terminal: LiveTerminal;
  #lines: readonly string[] = [];

  constructor(terminal: LiveTerminal) {
    this.#terminal = terminal;
  }

  /** Shows these lines in place of the ones before. */
  draw(lines: readonly string[]): void {
    this.#terminal.write(this.#erasing() + lines.join("\n"));
    this.#lines = lines;
  }

  /** Writes a line that stays, above the block. */
  say(text: string): void {
    const below = this.#lines;
    this.#terminal.write(`${this.#erasing()}${text}\n${below.join("\n")}`);
  }

  /** Takes the block away; what was said stays. */
  clear(): void {
    if (this.#lines.length > 0) this.#terminal.write(this.#erasing());
    this.#lines = [];
  }

  /**
   * Takes the block away row by row, from its end to its beginning: a terminal may keep what is
   * cleared as a whole screen in its history. One that has become narrower has broken the lines, so
   * that they take more rows than they are.
   */
  #erasing(): string {
    if (this.#lines.length === 0) return "";
    const columns = Math.max(1, this.#terminal.columns());
    const rows = this.#lines.reduce((sum, line) => {
      const length = stripVTControlCharacters(line).length;
      return sum + Math.max(1, Math.ceil(length / columns));
    }, 0);
    return `\r${CLEAR_ROW}${`${UP}${CLEAR_ROW}`.repeat(rows - 1)}`;
  }
}
