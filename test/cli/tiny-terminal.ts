import type { LiveTerminal } from "../../src/cli/output.ts";

/** A terminal that understands what the live display writes, and breaks its lines anew when resized. */
export class TinyTerminal implements LiveTerminal {
  #lines: string[] = [""];
  #columns: number;
  #row = 0;
  #column = 0;
  readonly #listeners = new Set<() => void>();

  constructor(columns: number) {
    this.#columns = columns;
  }

  columns(): number {
    return this.#columns;
  }

  onResize(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** Lines without the empty ones at the end, as a reader sees them. */
  screen(): readonly string[] {
    const lines = this.#lines.map((line) => line.trimEnd());
    while (lines.at(-1) === "") lines.pop();
    return lines;
  }

  resize(columns: number): void {
    // Nothing stands below the cursor.
    const rows = this.#lines.slice(0, this.#row + 1).flatMap((line) => {
      const parts = [line.slice(0, columns)];
      for (let at = columns; at < line.length; at += columns)
        parts.push(line.slice(at, at + columns));
      return parts;
    });
    this.#lines = rows;
    this.#row = rows.length - 1;
    this.#columns = columns;
    for (const listener of this.#listeners) listener();
  }

  write(text: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a terminal reads.
    for (const [part] of text.matchAll(/\u001b\[(\d+)([A-Zm])|\r|\n|[^\u001b\r\n]+/g)) {
      if (part === "\r") this.#column = 0;
      else if (part === "\n") this.#newLine();
      else if (part.startsWith("\u001b[2K")) this.#lines[this.#row] = "";
      else if (part.startsWith("\u001b[1A")) this.#row = Math.max(0, this.#row - 1);
      else if (part.startsWith("\u001b") && !part.endsWith("m"))
        throw new Error(`unknown: ${JSON.stringify(part)}`);
      else if (!part.startsWith("\u001b")) this.#print(part);
    }
  }

  #newLine(): void {
    this.#row++;
    this.#column = 0;
    if (this.#row === this.#lines.length) this.#lines.push("");
  }

  #print(text: string): void {
    const line = (this.#lines[this.#row] ?? "").padEnd(this.#column);
    this.#lines[this.#row] =
      line.slice(0, this.#column) + text + line.slice(this.#column + text.length);
    this.#column += text.length;
    if (this.#column > this.#columns) throw new Error(`a line of ${this.#column} was written`);
  }
}
