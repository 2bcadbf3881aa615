/** A piece of a file, and the line in which it starts, counted from 1. */
export interface TextPiece {
  readonly line: number;
  readonly text: string;
}

/**
 * The lines of a text that comes in chunks, without those that are blank.
 *
 * Not `node:readline`: it also splits at U+2028, which may stand inside a JSON string.
 */
export async function* splitLines(chunks: AsyncIterable<string>): AsyncGenerator<TextPiece> {
  let line = 1;
  let pending = "";
  for await (const chunk of chunks) {
    const lines = chunk.split("\n");
    lines[0] = pending + lines[0]!;
    pending = lines.pop()!;
    for (const text of lines) {
      if (text.trim() !== "") yield { line, text };
      line++;
    }
  }
  if (pending.trim() !== "") yield { line, text: pending };
}

/**
 * The elements of one JSON array that comes in chunks, each as its own text.
 *
 * Own code, because a streaming parser stops at the first fault and does not know its line; here
 * each element is parsed, and blamed, by itself. Only brackets and strings are looked at.
 */
export async function* splitElements(chunks: AsyncIterable<string>): AsyncGenerator<TextPiece> {
  const scanner = new Scanner();
  let pending = "";
  for await (const chunk of chunks) {
    let from = 0;
    for (let i = 0; i < chunk.length; i++) {
      const edge = scanner.step(chunk[i]!);
      if (edge === "none") continue;
      const text = pending + chunk.slice(from, i);
      pending = "";
      from = i + 1;
      if (edge === "ends" && text.trim() !== "") yield pieceEndingIn(scanner.line, text);
    }
    pending += chunk.slice(from);
  }
  // What follows the array, or an element in which the file ends, is for the parser to refuse.
  if (pending.trim() !== "") yield pieceEndingIn(scanner.line, pending);
}

/** Walks through an array of JSON and says where its elements end. */
class Scanner {
  line = 1;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;

  step(char: string): "opens" | "ends" | "none" {
    if (char === "\n") this.line++;
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (char === "\\") this.#isEscaped = true;
      else if (char === '"') this.#isInString = false;
      return "none";
    }
    if (char === '"') this.#isInString = true;
    else if (char === "[" || char === "{") return ++this.#depth === 1 ? "opens" : "none";
    else if (char === "]" || char === "}") return --this.#depth === 0 ? "ends" : "none";
    else if (char === "," && this.#depth === 1) return "ends";
    return "none";
  }
}

function pieceEndingIn(endLine: number, text: string): TextPiece {
  return { line: endLine - (text.trimStart().split("\n").length - 1), text };
}
